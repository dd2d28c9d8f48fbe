package jobs

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// acting returns the maker of a job as a caller, with their current permissions; false
// with the reason if they may no longer do what the job does. It is called in the unit
// of work of each step, since a job has no credential that the store could check.
//
// A job of the service itself has no caller. People have workspace permissions by their
// current roles, and their keys within their scopes. Instance permissions are granted
// by no role: superadmins have them, and keys and apps to which a superadmin granted
// them.
func acting(ctx context.Context, tx Repos, m job.Maker, now time.Time) (c access.Caller, why string, err error) {
	switch {
	case m.System:
		return access.Caller{}, "", nil
	case m.Needs == "":
		return c, job.WhyUnreadable, nil
	case m.Key != "":
		c, err = keyOf(ctx, tx, m, now)
	case m.App != "":
		c, err = appOf(ctx, tx, m, now)
	default:
		c, err = personOf(ctx, tx, m, now)
	}
	switch {
	case errors.Is(err, errGone):
		return c, job.WhyMakerGone, nil
	case err == nil && !m.Entitled(c):
		return c, job.WhyMakerLess, nil
	}
	return c, "", err
}

// errGone is returned if the maker of the job is disabled or deleted.
var errGone = errors.New("the creator of the job is no longer active")

// gone converts errors of missing objects to errGone.
func gone(err error, absent ...error) error {
	for _, one := range absent {
		if errors.Is(err, one) {
			return errGone
		}
	}
	return err
}

func personOf(ctx context.Context, tx Repos, m job.Maker, now time.Time) (access.Caller, error) {
	u, err := tx.Users.ByID(ctx, m.UserID)
	if err != nil {
		return access.Caller{}, gone(err, user.ErrNotFound)
	}
	s := u.Snapshot()
	if !s.Usable(now) {
		return access.Caller{}, errGone
	}
	c := access.Caller{Kind: access.Person, User: s.ID, Superadmin: s.Superadmin, Profile: s}
	if m.OrgID == "" || access.IsInstance(m.Needs) {
		return c, nil
	}
	c.Org = m.OrgID
	c.Permissions, err = heldBy(ctx, tx, m, now)
	return c, err
}

// heldBy returns the permissions of a person by their roles in the workspace that was
// active: none if they are no longer a member.
func heldBy(ctx context.Context, tx Repos, m job.Maker, now time.Time) (access.Permissions, error) {
	if _, err := placeOf(ctx, tx, m.OrgID); err != nil {
		return nil, err
	}
	member, err := tx.Rights.Holding(ctx, m.OrgID, m.UserID)
	if errors.Is(err, workspace.ErrNotMember) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	book, err := tx.Rights.BookWithin(ctx, m.OrgID)
	if err != nil {
		return nil, gone(err, workspace.ErrNotFound)
	}
	return book.Standing(member.MemberGrants, now).Permissions, nil
}

func keyOf(ctx context.Context, tx Repos, m job.Maker, now time.Time) (access.Caller, error) {
	k, err := tx.APIKeys.ByID(ctx, m.Key)
	if err != nil {
		return access.Caller{}, gone(err, apikey.ErrNotFound)
	}
	key := k.Snapshot()
	if !k.Active(now) {
		return access.Caller{}, errGone
	}
	if _, err := placeOf(ctx, tx, key.OrgID); err != nil {
		return access.Caller{}, err
	}
	behind, err := personOf(ctx, tx, m, now)
	scopes := access.Remaining(m.Scopes, key.Scopes, true, nil)
	return access.Caller{
		Kind: access.Key, User: behind.User, APIKey: m.Key, Org: key.OrgID, Scopes: scopes,
		Permissions: access.Share(behind.Permissions, behind.Superadmin, scopes), Profile: behind.Profile,
	}, err
}

// placeOf returns the workspace of a key or an app, which ends with it and rests with it.
func placeOf(ctx context.Context, tx Repos, org workspace.ID) (workspace.Snapshot, error) {
	of, err := tx.Workspaces.ByID(ctx, org)
	if err != nil {
		return workspace.Snapshot{}, gone(err, workspace.ErrNotFound)
	}
	if of.Snapshot().Disabled() {
		return workspace.Snapshot{}, errGone
	}
	return of.Snapshot(), nil
}

func appOf(ctx context.Context, tx Repos, m job.Maker, now time.Time) (access.Caller, error) {
	a, err := tx.Apps.ByID(ctx, m.App)
	if err != nil {
		return access.Caller{}, gone(err, app.ErrNotFound)
	}
	s := a.Snapshot()
	if !s.Enabled {
		return access.Caller{}, errGone
	}
	of, err := placeOf(ctx, tx, s.OrgID)
	if err != nil {
		return access.Caller{}, err
	}
	if owner := of.PersonalOf; owner != "" {
		if _, err := personOf(ctx, tx, job.Maker{UserID: owner}, now); err != nil {
			return access.Caller{}, err
		}
	}
	scopes := access.Remaining(m.Scopes, s.Scopes, s.Listed, s.Withdrawn)
	return access.Caller{
		Kind: access.App, App: s.ID, Client: s.Slug, Org: s.OrgID, Scopes: scopes,
		Permissions: access.Share(s.Scopes, false, scopes),
	}, nil
}
