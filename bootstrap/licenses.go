package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/licenses"
	"gatehouse.internal/domain/license"
)

func (p *parts) licenses() family {
	return family{service: p.licenseService(), events: license.Events()}
}

func (p *parts) licenseService() *licenses.Service {
	return &licenses.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) licenses.Repos {
			return licenses.Repos{
				Products: licensing.Products(tx), Policies: licensing.Policies(tx), Licenses: licensing.Licenses(tx),
				Machines: licensing.Machines(tx), Seats: licensing.Seats(tx), Leases: licensing.Leases(tx), Meters: licensing.Meters(tx),
				Transfers: licensing.Transfers(tx), Jobs: ops.Jobs(tx), Keys: ops.KeyRing(tx), Owners: licensing.Owners(tx), Events: tx.Events(),
			}
		}),
		Products:  licensing.ProductDirectory(p.store),
		Policies:  licensing.PolicyDirectory(p.store),
		Licenses:  licensing.LicenseDirectory(p.store),
		Machines:  licensing.MachineDirectory(p.store),
		Beats:     licensing.Heartbeats(p.store),
		Seats:     licensing.SeatDirectory(p.store),
		Leases:    licensing.LeaseDirectory(p.store),
		Sightings: &licenses.Sightings{},
		Instance:  p.instance,
		Maker:     p.keys,
		Issuer:    p.config.ServiceHost,
		Cursors:   p.cursors,
		Clock:     p.clock,
		IDs:       p.ids,
		Random:    p.random,
	}
}
