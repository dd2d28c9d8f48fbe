package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/jwtkeys"
	"gatehouse.internal/domain/signingkey"
)

func (p *parts) jwtKeys() family {
	return family{
		service: &jwtkeys.Service{
			Unit:     sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) jwtkeys.Repos { return jwtkeys.Repos{Keys: ops.KeyRing(tx)} }),
			Instance: p.instance,
			Keys:     p.keys,
			Clock:    p.clock,
		},
		events: signingkey.Events(),
	}
}
