package users

import (
	"context"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var (
	errExceeds   = fault.New(fault.Denied, "a role may be given or taken only by one who holds all it grants")
	errExpiresAt = fault.Unfit("/expires_at", "must be in the future")
)

// RolesResult is what somebody holds in a workspace after a change.
type RolesResult struct {
	UserID user.ID      `json:"user_id" doc:"The account."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace."`
	Roles  []string     `json:"roles" doc:"All roles of the account in it."`
}

// grant is a role of somebody in a workspace, to be given or taken.
type grant struct {
	person user.ID
	org    workspace.ID
	role   string
}

// allowed gives the grant that a caller asks for, in the active workspace when
// none is named. It fails with workspace.ErrNotFound when the workspace is not
// the caller's to see, and with errExceeds when the role grants more than the
// caller holds there.
func (g grant) allowed(caller access.Caller) (grant, error) {
	if g.org == "" {
		g.org = caller.Org
	}
	if caller.Superadmin {
		_, err := role.Named(g.role)
		return g, err
	}
	if g.org != caller.Org {
		return g, workspace.ErrNotFound
	}
	wanted, err := role.Named(g.role)
	if err == nil && !caller.Permissions.CoverAll(wanted.Permissions) {
		err = errExceeds
	}
	return g, err
}

// regrant changes the grants of a member and tells what they hold then. A change
// that would end an ownership for good is refused to the last owner.
func (s *Service) regrant(ctx context.Context, g grant, change func(*workspace.Member), ends bool) (RolesResult, error) {
	result := RolesResult{UserID: g.person, OrgID: g.org}
	err := s.Unit.Do(ctx, func(tx Repos) error {
		member, err := tx.Workspaces.Member(ctx, g.org, g.person)
		if err != nil {
			return err
		}
		if ends && g.role == role.Owner {
			if err := disownable(ctx, tx, member); err != nil {
				return err
			}
		}
		change(member)
		result.Roles = member.Roles(s.Clock.Now())
		if !member.Changed() {
			return nil
		}
		return tx.Workspaces.SaveMember(ctx, member)
	})
	return result, err
}

// disownable fails with workspace.ErrPersonal or workspace.ErrLastOwner when a
// member has to stay an owner for good.
func disownable(ctx context.Context, tx Repos, m *workspace.Member) error {
	w, err := tx.Workspaces.ByID(ctx, m.Snapshot().OrgID)
	if err != nil {
		return err
	}
	if w.Snapshot().PersonalOf == m.Snapshot().UserID {
		return workspace.ErrPersonal
	}
	return replaceable(ctx, tx, m)
}

// future refuses a time that has passed; the zero time is none.
func (s *Service) future(at time.Time, refusal error) error {
	if !at.IsZero() && !at.After(s.Clock.Now()) {
		return refusal
	}
	return nil
}
