package permissions

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// needed is the permission to ask about somebody else.
const needed = "permissions:read"

var errOthers = fault.New(fault.Denied, "to ask about somebody else, you need the permission "+needed+" in the workspace")

// CheckParams are the parameters of PERMISSION.CHECK.
type CheckParams struct {
	Action   string       `json:"action" doc:"What is to be done, such as read; the second part of a permission." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9][a-z0-9_.-]*$,example=read"`
	Resource string       `json:"resource" doc:"What it is to be done to, such as users; the first part of a permission." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9][a-z0-9_.-]*$,example=users"`
	UserID   user.ID      `json:"user_id,omitzero" doc:"Who is to do it: a member of the workspace; you when absent. Others need permissions:read."`
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"The workspace, one of yours; the active one when absent. Superadmins may name any."`
}

// CheckResult is the result of PERMISSION.CHECK.
type CheckResult struct {
	Allowed bool    `json:"allowed" doc:"Whether the user may do it. A disabled account may do nothing."`
	Via     *string `json:"via" doc:"What allows it: the name of a role, superadmin, or scope, for an API key or an app; null when it is not allowed."`
}

func (s *Service) check() command.Definition {
	return command.Define(command.Spec[CheckParams, CheckResult]{
		Name: "PERMISSION.CHECK",
		Summary: "Tell whether a user may do an action on a resource in a workspace; " +
			"an owner's * covers every pair but the instance permissions, also pairs that this service does not know.",
		Access: access.Anybody(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CheckParams) (CheckResult, error) {
			asker, err := s.asker(ctx, call.Caller, p.OrgID)
			if err != nil {
				return CheckResult{}, err
			}
			permission := p.Resource + ":" + p.Action
			if p.UserID == "" || (p.UserID == call.Caller.User && call.Caller.Kind == access.Person) {
				return asker.may(permission), nil
			}
			if !asker.may(needed).Allowed {
				return CheckResult{}, errOthers
			}
			subject, err := s.other(ctx, p.UserID, asker.org)
			return subject.may(permission), err
		},
	})
}

// standing is what somebody is in a workspace.
type standing struct {
	org        workspace.ID
	roles      []string
	superadmin bool
	// scoped narrows an API key or an app to what its scopes leave; nil for a person.
	scoped access.Permissions
}

// may answers the check.
func (s standing) may(permission string) CheckResult {
	if s.superadmin {
		return through("superadmin")
	}
	if s.scoped != nil {
		if s.scoped.Cover(permission) {
			return through("scope")
		}
		return CheckResult{}
	}
	for _, name := range s.roles {
		if role.Granted([]string{name}).Cover(permission) {
			return through(name)
		}
	}
	return CheckResult{}
}

func through(via string) CheckResult { return CheckResult{Allowed: true, Via: &via} }

// asker is the caller in the workspace asked about. It fails with
// workspace.ErrNotFound where the caller has no business.
func (s *Service) asker(ctx context.Context, caller access.Caller, org workspace.ID) (standing, error) {
	if caller.Kind != access.Person {
		if org != "" && org != caller.Org {
			return standing{}, workspace.ErrNotFound
		}
		return standing{org: caller.Org, scoped: append(access.Permissions{}, caller.Permissions...)}, nil
	}
	if org == "" || org == caller.Org {
		return standing{org: caller.Org, roles: caller.Roles, superadmin: caller.Superadmin}, nil
	}
	if caller.Superadmin {
		return standing{org: org, superadmin: true}, s.Unit.Do(ctx, func(tx Repos) error {
			_, err := tx.Workspaces.ByID(ctx, org)
			return err
		})
	}
	roles, member, err := s.roles(ctx, caller.User, org)
	if err == nil && !member {
		err = workspace.ErrNotFound
	}
	return standing{org: org, roles: roles}, err
}

// other is somebody else in a workspace; it fails with workspace.ErrNotMember.
func (s *Service) other(ctx context.Context, person user.ID, org workspace.ID) (standing, error) {
	roles, member, err := s.roles(ctx, person, org)
	if err != nil {
		return standing{}, err
	}
	if !member {
		return standing{}, workspace.ErrNotMember
	}
	account, err := s.Users.Find(ctx, outbound.UserKey{ID: person})
	if err != nil || !account.Usable(s.Clock.Now()) {
		return standing{}, err
	}
	return standing{org: org, roles: roles, superadmin: account.Superadmin}, nil
}

// roles are those that a person holds in a workspace, and whether they belong to it.
func (s *Service) roles(ctx context.Context, person user.ID, org workspace.ID) ([]string, bool, error) {
	memberships, err := s.Accounts.Memberships(ctx, person)
	if err != nil {
		return nil, false, fmt.Errorf("read memberships: %w", err)
	}
	at := slices.IndexFunc(memberships, func(m outbound.Membership) bool { return m.Org.ID == org })
	if at < 0 {
		return nil, false, nil
	}
	return workspace.LiveRoles(memberships[at].Grants, s.Clock.Now()), true, nil
}
