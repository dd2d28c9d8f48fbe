package permissions

import (
	"context"
	"strings"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// What allows something but roles.
const (
	bySuperadmin = "superadmin"
	byScope      = "scope"
)

var errOthers = fault.New(fault.Denied, "asking about another person requires the permission "+reading+" in the workspace")

// subject is somebody in a workspace, as far as it decides what they may do there.
type subject struct {
	org workspace.ID
	// person is whose relations decide about single objects; "" where none do.
	person     user.ID
	superadmin bool
	// scoped are the permissions of an API key or an app; nil for a person.
	scoped access.Permissions
	// source is what a person holds by roles; nil for nothing.
	source access.Source
}

// via names what allows a permission; "" where nothing does.
func (s subject) via(permission string) string {
	switch {
	case s.superadmin:
		return bySuperadmin
	case s.scoped != nil && s.scoped.Cover(permission):
		return byScope
	case s.source != nil:
		return s.source.Via(permission)
	}
	return ""
}

// permission returns what an action on a resource takes: on one of a type, what it takes on
// the type.
func permission(resource, action string) string {
	kind, _, _ := strings.Cut(resource, "/")
	return kind + ":" + action
}

// subject returns whom a caller asks about: themselves where nobody else is named. It fails
// with workspace.ErrNotFound, with errOthers, and with workspace.ErrNotMember.
func (s *Service) subject(ctx context.Context, caller access.Caller, org workspace.ID, person user.ID) (subject, error) {
	asker, err := s.asker(ctx, caller, org)
	if err != nil || person == "" || (person == caller.User && caller.Kind.InSession()) {
		return asker, err
	}
	if asker.via(reading) == "" {
		return subject{}, errOthers
	}
	return s.member(ctx, asker.org, person)
}

// asker returns the caller in the workspace asked about, the active one where none is named.
func (s *Service) asker(ctx context.Context, caller access.Caller, org workspace.ID) (subject, error) {
	if !caller.Kind.InSession() {
		if org != "" && org != caller.Org {
			return subject{}, workspace.ErrNotFound
		}
		asker := subject{org: caller.Org, person: caller.User, scoped: append(access.Permissions{}, caller.Permissions...)}
		if caller.Superadmin {
			asker.person = ""
		}
		return asker, nil
	}
	if org == "" || org == caller.Org {
		return subject{org: caller.Org, person: caller.User, source: caller.Source, superadmin: caller.Superadmin}, nil
	}
	if caller.Superadmin {
		_, err := s.Rights.Version(ctx, org)
		return subject{org: org, superadmin: true}, err
	}
	asker, err := s.member(ctx, org, caller.User)
	if fault.From(err).Code == fault.NotFound {
		err = workspace.ErrNotFound
	}
	return asker, err
}

// member returns somebody in a workspace; it fails with workspace.ErrNotMember. Whose account
// is disabled may do nothing.
func (s *Service) member(ctx context.Context, org workspace.ID, person user.ID) (subject, error) {
	held, err := s.Rights.Holding(ctx, org, person)
	if err != nil || !held.Availability.Usable(s.Clock.Now()) {
		return subject{org: org}, err
	}
	standing, err := s.standing(ctx, held.MemberGrants)
	return subject{org: org, person: person, source: standing, superadmin: held.Superadmin}, err
}

func (s *Service) standing(ctx context.Context, held role.MemberGrants) (role.EffectiveRoles, error) {
	return s.Books.Standing(ctx, held, s.Clock.Now())
}
