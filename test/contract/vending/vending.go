// Package vending holds what a store of products, licenses and features must do, one suite
// for each port or for what several have in common. A store runs them all by one call of Run,
// beside those of package contract, on whose ports it builds.
package vending

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/test/contract"
)

// Ports is one replica of a store.
type Ports struct {
	// Base are the ports that others have in common: people and workspaces are made by them.
	Base *contract.Ports
	Unit outbound.Unit[Repos]

	Products licensing.ProductDirectory
	Policies licensing.PolicyDirectory
	Licenses licensing.LicenseDirectory
	Machines licensing.MachineDirectory
	Beats    licensing.Heartbeats
	Seats    licensing.SeatDirectory
	Leases   licensing.LeaseDirectory
	Features licensing.FeatureDirectory
}

// Repos are the repositories that write in a transaction.
type Repos struct {
	Products  licensing.Products
	Policies  licensing.Policies
	Licenses  licensing.Licenses
	Machines  licensing.Machines
	Seats     licensing.Seats
	Leases    licensing.Leases
	Meters    licensing.Meters
	Transfers licensing.Transfers
	Owners    licensing.Owners
	Ended     licensing.Ended
	Features  licensing.Features
	Overrides licensing.Overrides
}

// Opener makes a new store for a test; each call of what it returns opens one more replica
// of it.
type Opener func(t *testing.T) func(c contract.Conditions) (*Ports, error)

// Run runs every suite on new stores.
func Run(t *testing.T, open Opener) {
	t.Helper()
	for name, suite := range map[string]func(*world){
		"Products": products, "Policies": policies, "Licenses": licenses, "LicenseLists": licenseLists, "Keys": keys, "Standing": standing,
		"Machines": machines, "Heartbeats": heartbeats, "Seats": seats, "Leases": leases, "Meters": meters, "Transfers": transfers,
		"Owners": owners, "Ended": ended, "Features": features, "Overrides": overrides, "Holdings": holdings,
	} {
		t.Run("Vending "+name, func(t *testing.T) {
			t.Parallel()
			suite(newWorld(t, open))
		})
	}
}

// world is a store with a workspace that sells, and its owner.
type world struct {
	*testing.T
	*Ports

	ids    outbound.IDs
	now    time.Time
	org    workspace.ID
	person user.ID
	again  func(c contract.Conditions) (*Ports, error)
}

func newWorld(t *testing.T, open Opener) *world {
	t.Helper()
	w := &world{T: t, again: open(t)}
	c := contract.Defaults(t)
	w.Ports, w.ids, w.now = w.replica(c), c.IDs, c.Clock.Now()
	w.org, w.person = w.workspace(), w.account("ada@example.com")
	return w
}

// replica opens one more replica, and closes it when the test ends.
func (w *world) replica(c contract.Conditions) *Ports {
	w.Helper()
	p, err := w.again(c)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := p.Base.Close(); err != nil {
			w.Error(err)
		}
	})
	return p
}

func (w *world) workspace() workspace.ID {
	w.Helper()
	s := workspace.Snapshot{ID: workspace.NewID(w.ids), Name: "Engines", CreatedAt: w.now}
	w.must(w.Base.Unit.Do(w.Context(), func(tx contract.Repos) error {
		return tx.Workspaces.Save(w.Context(), workspace.Restore(s, 0))
	}))
	return s.ID
}

func (w *world) account(address string) user.ID {
	w.Helper()
	made := user.New(user.NewID(w.ids), w.address(address), "Ada", w.now)
	w.must(w.Base.Unit.Do(w.Context(), func(tx contract.Repos) error { return tx.Users.Save(w.Context(), made) }))
	return made.ID()
}

func (w *world) address(text string) email.Address {
	w.Helper()
	parsed, err := email.Parse(text)
	w.must(err)
	return parsed
}

// must ends the test on an error.
func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// do runs a change that must succeed.
func (w *world) do(change func(ctx context.Context, tx Repos) error) {
	w.Helper()
	w.must(w.Unit.Do(w.Context(), func(tx Repos) error { return change(w.Context(), tx) }))
}

// fails runs a change that must fail with an error.
func (w *world) fails(want error, change func(ctx context.Context, tx Repos) error) {
	w.Helper()
	w.is(w.Unit.Do(w.Context(), func(tx Repos) error { return change(w.Context(), tx) }), want)
}

// is compares an error.
func (w *world) is(got, want error) {
	w.Helper()
	if !errors.Is(got, want) {
		w.Fatalf("got %v, want %v", got, want)
	}
}

// equal compares values.
func (w *world) equal(what string, got, want any) {
	w.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(email.Address{}, feature.Value{}), cmpopts.EquateEmpty()); diff != "" {
		w.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

var errEnough = errors.New("enough")

// conflicts runs a save of a stale copy: it must fail, and lead to another run.
func (w *world) conflicts(save func(ctx context.Context, tx Repos) error) {
	w.Helper()
	var first error
	runs := 0
	err := w.Unit.Do(w.Context(), func(tx Repos) error {
		if runs++; runs > 1 {
			return errEnough
		}
		first = save(w.Context(), tx)
		return first
	})
	if !errors.Is(first, aggregate.ErrConflict) || !errors.Is(err, errEnough) {
		w.Fatalf("saving a stale copy: %v, want ErrConflict; the unit: %v, want a second run", first, err)
	}
}

// product stores a product.
func (w *world) product(slug product.Slug, change func(*product.Draft)) product.Snapshot {
	w.Helper()
	d := product.Draft{ID: product.NewID(w.ids), OrgID: w.org, Name: "Drafting Table", Slug: slug}
	if change != nil {
		change(&d)
	}
	made, err := product.Define(d, w.now)
	w.must(err)
	w.do(func(ctx context.Context, tx Repos) error { return tx.Products.Save(ctx, made) })
	return made.Snapshot()
}

// license stores a license for a product, after it was changed.
func (w *world) license(of product.Snapshot, change func(*license.Snapshot)) license.Snapshot {
	w.Helper()
	s := license.Snapshot{
		ID: license.NewID(w.ids), OrgID: w.org, ProductID: of.ID, Terms: license.Plain(), Status: license.Active, CreatedAt: w.now, UpdatedAt: w.now,
	}
	if change != nil {
		change(&s)
	}
	w.do(func(ctx context.Context, tx Repos) error { return tx.Licenses.Save(ctx, license.Restore(s, 0)) })
	return s
}

// machine stores a machine of a license that lapses then; zero for never.
func (w *world) machine(of license.Snapshot, fingerprint license.Fingerprint, lapses time.Time) license.MachineSnapshot {
	w.Helper()
	s := license.MachineSnapshot{
		ID: license.NewMachineID(w.ids), LicenseID: of.ID, Fingerprint: fingerprint, Name: "Workshop", Platform: "linux",
		Metadata: map[string]any{"rack": "7"}, ActivatedAt: w.now, BeatAt: w.now, LapsesAt: lapses,
	}
	w.do(func(ctx context.Context, tx Repos) error { return tx.Machines.Save(ctx, license.RestoreMachine(s, 0)) })
	return s
}

// key stores a key of a license, in its canonical form.
func (w *world) key(of license.ID, canonical string) string {
	w.Helper()
	w.do(func(ctx context.Context, tx Repos) error { return tx.Licenses.AddKey(ctx, of, canonical) })
	return canonical
}
