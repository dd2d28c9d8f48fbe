package bootstrap

import (
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/family/events"
)

func (p *parts) events() family {
	return family{
		service: &events.Service{Kinds: func() *kinds.Catalogue { return p.kinds }},
	}
}
