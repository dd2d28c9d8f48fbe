package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/family/devices"
	"gatehouse.internal/domain/device"
)

func (p *parts) devices() family {
	return family{
		service: &devices.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) devices.Repos {
				return devices.Repos{Devices: signin.Devices(tx), Sessions: people.Sessions(tx), Users: people.Users(tx)}
			}),
			Directory: signin.DeviceDirectory(p.store),
			Users:     people.UserDirectory(p.store),
			Policies:  p.policies,
			Clock:     p.clock,
			IDs:       p.ids,
			Random:    p.random,
		},
		events: device.Events(),
	}
}
