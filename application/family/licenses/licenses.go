// Package licenses implements the family LICENSE: license policies, licenses and their
// keys, machines, seats and metered usage.
package licenses

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/ports/outbound/ops"
)

// The permissions of the family.
const (
	reading = "licenses:read"
	writing = "licenses:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Products  licensing.Products
	Policies  licensing.Policies
	Licenses  licensing.Licenses
	Machines  licensing.Machines
	Seats     licensing.Seats
	Leases    licensing.Leases
	Meters    licensing.Meters
	Transfers licensing.Transfers
	Jobs      ops.Jobs
	Keys      ops.KeyRing
	Owners    licensing.Owners
	Events    outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Products  licensing.ProductDirectory
	Policies  licensing.PolicyDirectory
	Licenses  licensing.LicenseDirectory
	Machines  licensing.MachineDirectory
	Beats     licensing.Heartbeats
	Seats     licensing.SeatDirectory
	Leases    licensing.LeaseDirectory
	Sightings *Sightings
	Instance  *instance.Current
	Maker     keys.Maker
	// Issuer is the iss of license files.
	Issuer  string
	Cursors page.Cursors
	Clock   outbound.Clock
	IDs     outbound.IDs
	Random  outbound.Random
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.policyCreate(),
		s.policyGet(),
		s.policyList(),
		s.policyUpdate(),
		s.policyDelete(),
		s.issue(),
		s.get(),
		s.list(),
		s.update(),
		s.suspend(),
		s.reinstate(),
		s.revoke(),
		s.rotateKey(),
		s.validate(),
		s.transfer(),
		s.machineActivate(),
		s.machineDeactivate(),
		s.machineHeartbeat(),
		s.machineList(),
		s.seatAssign(),
		s.seatUnassign(),
		s.seatList(),
		s.leaseAcquire(),
		s.leaseRenew(),
		s.leaseRelease(),
		s.leaseList(),
		s.usageIncrement(),
		s.offlineCheckout(),
	}
}

// Result is a license after a change.
type Result struct {
	License view.License `json:"license" doc:"The license after the change."`
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }

// manages reports whether a caller may do something with a license: as somebody of the
// workspace that issued it who holds the permission, or as its owner: the person, or
// whoever acts in the workspace, without any permission.
func manages(caller access.Caller, l license.Snapshot, permission string) bool {
	return caller.Sees(l.OrgID) && caller.May(permission) || owns(caller, l.Owner)
}

func owns(caller access.Caller, of license.Owner) bool {
	if of.UserID != "" {
		return of.UserID == caller.User
	}
	return of.OrgID != "" && of.OrgID == caller.Org
}

// shown returns a license as a caller sees it: what its issuer keeps with it is the issuer's.
func (s *Service) shown(caller access.Caller, l license.Snapshot) view.License {
	if !caller.Sees(l.OrgID) || !caller.May(reading) {
		l.Metadata = nil
	}
	return view.OfLicense(l, s.now())
}

// change changes a license of the caller's workspace and stores it, unless nothing
// changed. It fails with license.ErrNotFound.
func (s *Service) change(
	ctx context.Context, caller access.Caller, id license.ID, change func(tx Repos, l *license.License) error,
) (result Result, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		found, err := tx.Licenses.ByID(ctx, id)
		if err != nil {
			return err
		}
		if !caller.Sees(found.Snapshot().OrgID) {
			return license.ErrNotFound
		}
		if err := change(tx, found); err != nil {
			return err
		}
		result.License = view.OfLicense(found.Snapshot(), s.now())
		if !found.Changed() {
			return nil
		}
		return tx.Licenses.Save(ctx, found)
	})
	return result, err
}

// orgOf returns the workspace that a caller acts in. It fails with workspace.ErrNotFound.
func orgOf(caller access.Caller) (workspace.ID, error) {
	if caller.Org == "" {
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// errOwner is returned if the owner does not exist.
var (
	errOwner = fault.Invalid("/user_id", "no such account")
	errBuyer = fault.Invalid("/owner_org_id", "no such workspace")
)

// belongs holds off the deletion of whom a license is given to.
func belongs(ctx context.Context, tx Repos, to license.Owner) error {
	there, err := tx.Owners.Hold(ctx, to)
	switch {
	case err != nil || there:
		return err
	case to.UserID != "":
		return errOwner
	}
	return errBuyer
}

// absent reports whether an error says that there is no such license.
func absent(err error) bool { return errors.Is(err, license.ErrNotFound) }
