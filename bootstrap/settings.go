package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/settings"
	"gatehouse.internal/domain/setting"
)

func (p *parts) settings() family {
	return family{
		service: &settings.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) settings.Repos {
				return settings.Repos{Settings: ops.Settings(tx), Events: tx.Events()}
			}),
			Instance: p.instance,
			Builtin:  setting.Defaults(),
		},
		events: setting.Events(),
	}
}
