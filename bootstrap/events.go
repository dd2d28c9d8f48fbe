package bootstrap

import (
	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/family/events"
)

func (p *parts) events() family {
	return family{
		service: &events.Service{
			Kinds: func() *kinds.Catalog { return p.kinds }, Feed: webhookstore.Feed(p.store),
			Deliveries: webhookstore.DeliveryDirectory(p.store), Cursors: p.cursors, Leaving: p.leaving,
		},
	}
}
