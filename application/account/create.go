package account

import (
	"context"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos are the repositories to create an account.
type Repos struct {
	Users       people.Users
	Credentials signin.Credentials
	Workspaces  workspaces.Workspaces
}

// Draft are the attributes of a new account.
type Draft struct {
	// ID is minted unless it was before.
	ID    user.ID
	Email email.Address
	// Verified reports whether the address is known to belong to the person.
	Verified    bool
	DisplayName string
	Avatar      string
	// Hash is the hash of the password; empty for an account without one.
	Hash       string
	ExternalID string
	Metadata   map[string]any
	Superadmin bool
}

// NewAccount is an account with its personal workspace.
type NewAccount struct {
	User      *user.User
	Workspace *workspace.Workspace
	// Invited is the workspace that it joined by the invitation which made it; empty: none.
	Invited workspace.ID
}

// personalName is the name of every personal workspace. It does not name its
// owner: names of workspaces are kept in clear, those of people are sealed.
const personalName = "Personal workspace"

// Create stores an account, its credential and its personal workspace with the
// person as owner. It fails with user.ErrEmailTaken or user.ErrExternalTaken.
func Create(ctx context.Context, tx Repos, ids outbound.IDs, n Draft, now time.Time) (NewAccount, error) {
	if n.ID == "" {
		n.ID = user.NewID(ids)
	}
	u := user.New(n.ID, n.Email, n.DisplayName, now)
	u.Update(user.Profile{Avatar: &n.Avatar, ExternalID: &n.ExternalID}, now)
	if err := u.MergeMetadata(n.Metadata, now); err != nil {
		return NewAccount{}, err
	}
	if n.Verified {
		u.BindNew()
	}
	if n.Superadmin {
		u.SetSuperadmin(true, now)
	}
	w := workspace.NewPersonal(workspace.NewID(ids), u.ID(), personalName, now)
	if err := tx.Users.Save(ctx, u); err != nil {
		return NewAccount{}, err
	}
	if err := tx.Credentials.Save(ctx, credential.New(u.ID(), n.Hash, now)); err != nil {
		return NewAccount{}, err
	}
	if err := tx.Workspaces.Save(ctx, w); err != nil {
		return NewAccount{}, err
	}
	err := tx.Workspaces.SaveMember(ctx, workspace.Join(w.ID(), u.ID(), role.Owner, now))
	return NewAccount{User: u, Workspace: w}, err
}
