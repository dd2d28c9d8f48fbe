package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/upkeep"
)

func (p *parts) keeper() *upkeep.Keeper {
	return &upkeep.Keeper{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) upkeep.Repos {
			return upkeep.Repos{Keys: ops.KeyRing(tx), Failures: signin.LoginFailures(tx), Events: tx.Events()}
		}),
		Upkeep:   ops.Upkeep(p.store),
		Instance: p.instance,
		Keys:     p.keys,
		Clock:    p.clock,
		Logger:   p.logger,
	}
}
