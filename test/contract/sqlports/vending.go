package sqlports

import (
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/test/contract"
	"gatehouse.internal/test/contract/vending"
)

// vend opens stores with the ports of products, licenses and features.
func vend(open Opener) vending.Opener {
	return func(t *testing.T) func(c contract.Conditions) (*vending.Ports, error) {
		t.Helper()
		again := open(t)
		return func(c contract.Conditions) (*vending.Ports, error) {
			store, err := opened(t, again(), c)
			if err != nil {
				return nil, err
			}
			return &vending.Ports{
				Base: Ports(store), Unit: sqlstore.NewUnit(store, vendingRepos),
				Products: licensing.ProductDirectory(store), Policies: licensing.PolicyDirectory(store), Licenses: licensing.LicenseDirectory(store),
				Machines: licensing.MachineDirectory(store), Beats: licensing.Heartbeats(store), Seats: licensing.SeatDirectory(store),
				Leases: licensing.LeaseDirectory(store), Features: licensing.FeatureDirectory(store),
			}, nil
		}
	}
}

// vendingRepos returns the repositories that write in a transaction.
func vendingRepos(tx *sqlstore.Tx) vending.Repos {
	return vending.Repos{
		Products: licensing.Products(tx), Policies: licensing.Policies(tx), Licenses: licensing.Licenses(tx), Machines: licensing.Machines(tx),
		Seats: licensing.Seats(tx), Leases: licensing.Leases(tx), Meters: licensing.Meters(tx), Transfers: licensing.Transfers(tx),
		Owners: licensing.Owners(tx), Ended: licensing.Ended(tx), Features: licensing.Features(tx), Overrides: licensing.Overrides(tx),
	}
}
