package users

import (
	"context"
	"time"

	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errExpiresAt = fault.Unfit("/expires_at", "must be in the future")

// RolesResult is what somebody holds in a workspace after a change.
type RolesResult struct {
	UserID user.ID      `json:"user_id" doc:"ID of the account."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Roles  []string     `json:"roles" doc:"Names of all roles of the account in the workspace."`
}

// grant is a role of somebody in a workspace, to be given or taken.
type grant struct {
	person user.ID
	org    workspace.ID
	role   string
	// change gives or takes it. ends says that the member may hold less for it, now or
	// later.
	change func(*workspace.Member, workspace.RoleRef)
	ends   bool
}

// regrant assigns or takes a role, and returns what the member holds then. What ends
// something is refused to who may not demote the member, and to the last owner.
func (s *Service) regrant(ctx context.Context, caller access.Caller, g grant) (RolesResult, error) {
	if g.org == "" {
		g.org = caller.Org
	}
	result := RolesResult{UserID: g.person, OrgID: g.org}
	err := s.Unit.Do(ctx, func(tx Repos) error {
		book, err := rolegrant.Hold(ctx, tx.Books, caller, g.org)
		if err != nil {
			return err
		}
		wanted, err := rolegrant.AllowIn(book, caller, g.role)
		if err != nil {
			return err
		}
		held, err := tx.Books.Holding(ctx, g.org, g.person)
		if err != nil {
			return err
		}
		if g.ends {
			if err := rolegrant.Touch(caller, book, held, s.Clock.Now()); err != nil {
				return err
			}
		}
		held.Grants, err = g.apply(ctx, tx, wanted)
		result.Roles = book.Standing(held.MemberGrants, s.Clock.Now()).Roles
		return err
	})
	return result, err
}

// apply changes the membership, and returns its grants then.
func (g grant) apply(ctx context.Context, tx Repos, of role.Role) ([]workspace.Grant, error) {
	member, err := tx.Workspaces.Member(ctx, g.org, g.person)
	if err != nil {
		return nil, err
	}
	if g.ends && of.Key() == role.Owner {
		if err := rolegrant.Disown(ctx, tx.Workspaces, member); err != nil {
			return nil, err
		}
	}
	g.change(member, of.Ref())
	if !member.Changed() {
		return member.Snapshot().Grants, nil
	}
	return member.Snapshot().Grants, tx.Workspaces.SaveMember(ctx, member)
}

// future refuses a time that has passed; the zero time is none.
func (s *Service) future(at time.Time, refusal error) error {
	if !at.IsZero() && !at.After(s.Clock.Now()) {
		return refusal
	}
	return nil
}
