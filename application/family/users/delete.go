package users

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errNoProof = fault.Unfit("/password", "is required to delete your own account")

// DeleteParams are the parameters of USER.DELETE.
type DeleteParams struct {
	UserID   user.ID       `json:"user_id,omitzero" doc:"ID of the account. Defaults to your own account. Other accounts require users:manage."`
	Password secret.String `json:"password,omitzero" doc:"Your password. Required to delete your own account if it has a password." jsonschema:"minLength=1,maxLength=256"`
}

// DeleteResult is the result of USER.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

const deleteDescription = "You cannot delete an account while:\n\n- it is the last owner of a shared workspace\n" +
	"- its personal workspace has other members, has open checkouts, or sells subscriptions that have not ended\n- it is the last superadmin"

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "USER.DELETE",
		Summary:     "Delete an account permanently, with its sessions and personal workspace.",
		Description: deleteDescription,
		Access:      access.Anybody().Scoped(manage).Recent(),
		Effect:      command.Writes,
		Guarded:     true,
		Emits:       []event.Kind{user.KindDeleted, session.KindRevoked, license.KindRevoked, session.KindGuessed},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			if err := s.deleteFor(ctx, call.Caller, p); err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
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

// removeUnproved deletes the caller's account when it has no password.
func (s *Service) removeUnproved(ctx context.Context, tx Repos, caller access.Caller) error {
	c, err := tx.Credentials.ByUser(ctx, caller.User)
	if err != nil {
		return err
	}
	if c.Hash() != "" {
		return errNoProof
	}
	return s.remove(ctx, tx, caller, caller.User)
}

func (s *Service) remove(ctx context.Context, tx Repos, caller access.Caller, id user.ID) error {
	u, err := account.Managed(ctx, tx.Users, caller, id)
	if err != nil {
		return err
	}
	if err := tx.Sessions.HoldOff(ctx, id, ""); err != nil {
		return err
	}
	if err := s.spared(ctx, tx, u); err != nil {
		return err
	}
	if err := leavable(ctx, tx, id); err != nil {
		return err
	}
	if _, err := tx.End(ctx, u, account.EndOptions{Reason: session.ByDelete, Keep: deletedAnyway()}, s.Clock.Now()); err != nil {
		return err
	}
	if err := account.TellDeleted(ctx, tx.Mails, u.Snapshot(), s.Clock.Now()); err != nil {
		return err
	}
	u.Delete()
	return tx.Users.Delete(ctx, u)
}

// leavable refuses to end an account whose personal workspace has other members, or that is the
// last owner of shared workspaces, which it names.
func leavable(ctx context.Context, tx Repos, person user.ID) error {
	guests, err := tx.Belonging.Guests(ctx, person)
	if err != nil {
		return err
	}
	if guests > 0 {
		return fault.New(fault.Validation, fmt.Sprintf("the personal workspace of the account has other members (%d): remove them first", guests))
	}
	shared, err := tx.Belonging.Shared(ctx, person)
	if err != nil {
		return err
	}
	var owned []string
	for _, org := range shared {
		member, err := tx.Workspaces.Member(ctx, org, person)
		if err != nil {
			return err
		}
		err = rolegrant.Leave(ctx, tx.Workspaces, member)
		if errors.Is(err, workspace.ErrLastOwner) {
			var w *workspace.Workspace
			if w, err = tx.Workspaces.ByID(ctx, org); err == nil {
				owned = append(owned, fmt.Sprintf("%s (%s)", w.Snapshot().Name, w.Snapshot().Slug))
			}
		}
		if err != nil {
			return err
		}
	}
	if len(owned) > 0 {
		return fault.New(fault.Validation, "the account is the last owner of "+strings.Join(owned, ", ")+": transfer or delete these workspaces first")
	}
	return nil
}
