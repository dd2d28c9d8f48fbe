package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/jwtkeys"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/domain/signingkey"
)

// rack returns the signing keys for tokens of clients.
func (p *parts) rack() *keys.Rack {
	return &keys.Rack{
		Maker:    p.keys,
		Unit:     sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) keys.Repos { return keys.Repos{Keys: ops.KeyRing(tx)} }),
		Apps:     machines.AppDirectory(p.store),
		Instance: p.instance,
	}
}

func (p *parts) jwtKeys() family {
	return family{
		service: &jwtkeys.Service{
			Unit:     sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) jwtkeys.Repos { return jwtkeys.Repos{Keys: ops.KeyRing(tx)} }),
			Instance: p.instance,
			Keys:     p.rack(),
			Clock:    p.clock,
		},
		events: signingkey.Events(),
	}
}
