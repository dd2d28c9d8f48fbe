package teams

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of TEAM.TRANSFER_OWNERSHIP.
var (
	errNoOwner     = fault.New(fault.Denied, "only an owner whose role does not expire can transfer the workspace")
	errHomeKept    = fault.New(fault.Validation, "personal workspaces cannot be transferred")
	errToOneself   = fault.Unfit("/user_id", "must not be your own account")
	errToNobody    = fault.Unfit("/user_id", "must not be a disabled account")
	errOwnerAnyhow = fault.Unfit("/keep_role", "cannot be owner: share ownership with USER.SET_ROLE instead")
)

// TransferOwnershipParams are the parameters of TEAM.TRANSFER_OWNERSHIP.
type TransferOwnershipParams struct {
	UserID   user.ID `json:"user_id" doc:"ID of the member who becomes the owner."`
	KeepRole string  `json:"keep_role,omitzero" doc:"Role that you keep. Defaults to your roles other than owner. If you have none, you get the default role of the workspace." jsonschema:"minLength=1,maxLength=64,example=admin"`
}

func (s *Service) transferOwnership() command.Definition {
	return command.Define(command.Spec[TransferOwnershipParams, OrganizationResult]{
		Name:    "TEAM.TRANSFER_OWNERSHIP",
		Summary: "Transfer ownership of the workspace from you to another member.",
		Access:  access.Holding("teams:delete").InPerson().Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{workspace.KindTransferred, workspace.KindRoleAssigned, workspace.KindRoleUnassigned},
		Handle: func(ctx context.Context, call command.Call, p TransferOwnershipParams) (OrganizationResult, error) {
			if p.UserID == call.Caller.User {
				return OrganizationResult{}, errToOneself
			}
			var handed *workspace.Workspace
			err := s.Unit.Do(ctx, func(tx Repos) (err error) {
				handed, err = s.transfer(ctx, tx, call.Caller, p)
				return err
			})
			if err != nil {
				return OrganizationResult{}, err
			}
			return s.shown(ctx, handed)
		},
	})
}

// transfer assigns the new owner before it demotes the old one, so that there is an owner all along.
// The workspace is locked first: of two who hand over at once, the second meets what the
// first made of it.
func (s *Service) transfer(ctx context.Context, tx Repos, caller access.Caller, p TransferOwnershipParams) (*workspace.Workspace, error) {
	book, err := rolegrant.Hold(ctx, tx.Books, caller, caller.Org)
	if err != nil {
		return nil, err
	}
	to, err := s.heir(ctx, tx, caller.Org, p.UserID)
	if err != nil {
		return nil, err
	}
	w, err := tx.Workspaces.ByID(ctx, caller.Org)
	if err != nil {
		return nil, err
	}
	if w.Snapshot().Personal() {
		return nil, errHomeKept
	}
	from, err := s.formerOwner(ctx, tx, caller)
	if err != nil {
		return nil, err
	}
	to.Assign(workspace.Builtin(role.Owner), time.Time{})
	if from == nil {
		to.Receive("")
		return w, tx.Workspaces.SaveMember(ctx, to)
	}
	to.Receive(caller.User)
	if err := tx.Workspaces.SaveMember(ctx, to); err != nil {
		return nil, err
	}
	if err := s.keep(caller, from, keeping{book, w.Snapshot().DefaultRole, p.KeepRole}); err != nil {
		return nil, err
	}
	return w, tx.Workspaces.SaveMember(ctx, from)
}

// heir returns the member who is to own the workspace.
func (s *Service) heir(ctx context.Context, tx Repos, org workspace.ID, person user.ID) (*workspace.Member, error) {
	to, err := tx.Workspaces.Member(ctx, org, person)
	if err != nil {
		return nil, err
	}
	u, err := tx.Users.ByID(ctx, person)
	if err == nil && !u.Snapshot().Usable(s.Clock.Now()) {
		err = errToNobody
	}
	return to, err
}

// formerOwner returns the caller as an owner for good; nil for a superadmin who is none.
func (s *Service) formerOwner(ctx context.Context, tx Repos, caller access.Caller) (*workspace.Member, error) {
	from, err := tx.Workspaces.Member(ctx, caller.Org, caller.User)
	switch {
	case err == nil && from.HoldsForGood(role.Owner):
		return from, nil
	case caller.Superadmin && (err == nil || errors.Is(err, workspace.ErrNotMember)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return nil, errNoOwner
}

// keeping is which role is left to who hands a workspace over.
type keeping struct {
	book *role.Book
	// first is the key of the default role, wanted the name of the one that is kept.
	first, wanted string
}

// keep takes the ownership from who hands it over, and leaves them a role.
func (s *Service) keep(caller access.Caller, from *workspace.Member, k keeping) error {
	from.Unassign(workspace.Builtin(role.Owner))
	if k.wanted == "" && len(from.Roles(s.Clock.Now())) > 0 {
		return nil
	}
	if k.wanted == "" {
		kept, known := k.book.ByKey(k.first)
		if k.wanted = kept.Name; !known || kept.Key() == role.Owner { // the default role may be it
			k.wanted = role.Member
		}
	}
	kept, err := rolegrant.AllowIn(k.book, caller, k.wanted)
	switch {
	case err != nil:
		return err
	case kept.Key() == role.Owner:
		return errOwnerAnyhow
	}
	from.Assign(kept.Ref(), time.Time{})
	return nil
}
