package bootstrap

import (
	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/family/webhooks"
	"gatehouse.internal/application/relay"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/webhook"
)

func sender(c *config.Config) *fetch.Sender {
	o := fetch.SenderOptions{Through: fetch.None, HTTP: c.WebhookHTTP || c.Development, Version: Version}
	if c.WebhookPrivate || c.Development {
		o.Through = fetch.Private
	}
	return fetch.NewSender(o)
}

func (p *parts) webhooks() family {
	return family{service: p.webhookService(), events: webhook.Events()}
}

func (p *parts) webhookService() *webhooks.Service {
	return &webhooks.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) webhooks.Repos {
			return webhooks.Repos{Endpoints: webhookstore.Endpoints(tx), Deliveries: webhookstore.Deliveries(tx), Events: tx.Events()}
		}),
		Transactions: p.store,
		Jobs:         p.desk(),
		Endpoints:    webhookstore.EndpointDirectory(p.store),
		Deliveries:   webhookstore.DeliveryDirectory(p.store),
		Feed:         webhookstore.Feed(p.store),
		Sender:       p.sender,
		Kinds:        func() *kinds.Catalog { return p.kinds },
		Cursors:      p.cursors,
		Clock:        p.clock,
		IDs:          p.ids,
		Random:       p.random,
	}
}

// relay returns the service that delivers events to webhooks.
func (p *parts) relay() *relay.Relay {
	queues := p.store.Queues()
	return &relay.Relay{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) relay.Repos {
			return relay.Repos{Endpoints: webhookstore.Endpoints(tx), Streams: webhookstore.Streams(tx), Notices: people.Notices(tx)}
		}),
		Feed: webhookstore.Feed(queues), Claims: webhookstore.Claims(queues),
		Chain: webhookstore.Chain(queues), Heads: webhookstore.Heads(queues), Replicas: ops.Replicas(queues), Issuer: p.config.ServiceHost, Sender: p.sender,
		Streams: webhookstore.StreamDirectory(queues), Shipper: p.sender, Rights: workspaces.Rights(p.store), Instance: p.instance,
		Evented: p.store.Evented(), Clock: p.clock, Random: p.random, Logger: p.logger,
	}
}
