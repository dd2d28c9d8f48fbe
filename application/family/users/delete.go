package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errNoProof = fault.Unfit("/password", "is required to delete your own account")

// DeleteParams are the parameters of USER.DELETE.
type DeleteParams struct {
	UserID   user.ID       `json:"user_id,omitzero" doc:"The account; absent: your own. Those of others need users:manage."`
	Password secret.String `json:"password,omitzero" doc:"Your password: required to delete your own account, unless that has none; then presence must have been proved within 15 minutes, see AUTH.REAUTHENTICATE." jsonschema:"minLength=1,maxLength=256"`
}

// DeleteResult is the result of USER.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:    "USER.DELETE",
		Summary: "Delete an account for good, with its sessions and personal workspace; refused to the last owner of a shared workspace and to the last superadmin.",
		Access:  access.Anybody(),
		Effect:  command.Writes,
		Guarded: true,
		Emits:   []event.Kind{user.KindDeleted, session.KindRevoked, credential.KindLocked},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.deleteFor(ctx, call.Caller, p)
			return DeleteResult{Deleted: err == nil}, err
		},
	})
}

func (s *Service) deleteFor(ctx context.Context, caller access.Caller, p DeleteParams) error {
	own := p.UserID == "" || p.UserID == caller.User
	switch {
	case !own && !caller.May(manage):
		return user.ErrNotFound
	case own && caller.Kind != access.Person:
		return access.ErrInPerson
	case !own:
		return s.Unit.Do(ctx, func(tx Repos) error { return s.remove(ctx, tx, caller, p.UserID) })
	case p.Password.Empty():
		return s.Unit.Do(ctx, func(tx Repos) error { return s.removeUnproved(ctx, tx, caller) })
	}
	rules, err := s.Policies.OfUser(ctx, caller.User)
	if err != nil {
		return err
	}
	return s.Login.Proved(ctx, caller, p.Password, rules.Lockout, func(tx login.Repos, _ *credential.Credential) error {
		return s.remove(ctx, within(tx), caller, caller.User)
	})
}

// removeUnproved deletes the caller's account when it has no password, in a session
// whose person proved presence a short time ago.
func (s *Service) removeUnproved(ctx context.Context, tx Repos, caller access.Caller) error {
	c, err := tx.Credentials.ByUser(ctx, caller.User)
	if err != nil {
		return err
	}
	switch {
	case c.Hash() != "":
		return errNoProof
	case s.Clock.Now().Sub(caller.AuthTime) > access.RecentFor:
		return access.ErrNotRecent
	}
	return s.remove(ctx, tx, caller, caller.User)
}

func (s *Service) remove(ctx context.Context, tx Repos, caller access.Caller, id user.ID) error {
	u, err := account.Managed(ctx, tx.Users, caller, id)
	if err != nil {
		return err
	}
	if err := s.spared(ctx, tx, u); err != nil {
		return err
	}
	if err := leavable(ctx, tx, id); err != nil {
		return err
	}
	if _, err := s.end(ctx, tx, u, account.Ending{Reason: session.ByDelete}); err != nil {
		return err
	}
	u.Delete()
	return tx.Users.Delete(ctx, u)
}

// leavable fails with workspace.ErrLastOwner when a workspace that others share
// would be left without an owner.
func leavable(ctx context.Context, tx Repos, person user.ID) error {
	shared, err := tx.Belonging.Shared(ctx, person)
	if err != nil {
		return err
	}
	for _, org := range shared {
		member, err := tx.Workspaces.Member(ctx, org, person)
		if err != nil {
			return err
		}
		if err := replaceable(ctx, tx, member); err != nil {
			return err
		}
	}
	return nil
}

// replaceable fails with workspace.ErrLastOwner when a member is the only one who
// owns the workspace for good.
func replaceable(ctx context.Context, tx Repos, m *workspace.Member) error {
	if !m.HoldsForGood(role.Owner) {
		return nil
	}
	others, err := tx.Workspaces.OtherOwners(ctx, m.Snapshot().OrgID, m.Snapshot().UserID)
	if err == nil && others == 0 {
		return workspace.ErrLastOwner
	}
	return err
}
