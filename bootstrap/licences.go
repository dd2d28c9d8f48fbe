package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/licences"
	"gatehouse.internal/domain/licence"
)

func (p *parts) licences() family {
	return family{service: p.licenceService(), events: licence.Events()}
}

func (p *parts) licenceService() *licences.Service {
	return &licences.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) licences.Repos {
			return licences.Repos{
				Products: licensing.Products(tx), Policies: licensing.Policies(tx), Licences: licensing.Licences(tx),
				Machines: licensing.Machines(tx), Seats: licensing.Seats(tx), Leases: licensing.Leases(tx), Meters: licensing.Meters(tx),
				Transfers: licensing.Transfers(tx), Jobs: ops.Jobs(tx), Keys: ops.KeyRing(tx), Owners: licensing.Owners(tx), Events: tx.Events(),
			}
		}),
		Products: licensing.ProductDirectory(p.store),
		Policies: licensing.PolicyDirectory(p.store),
		Licences: licensing.LicenceDirectory(p.store),
		Machines: licensing.MachineDirectory(p.store),
		Beats:    licensing.Heartbeats(p.store),
		Seats:    licensing.SeatDirectory(p.store),
		Leases:   licensing.LeaseDirectory(p.store),
		Seen:     &licences.Sightings{},
		Instance: p.instance,
		Maker:    p.keys,
		Issuer:   p.config.ServiceHost,
		Cursors:  p.cursors,
		Clock:    p.clock,
		IDs:      p.ids,
		Random:   p.random,
	}
}
