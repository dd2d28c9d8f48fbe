package kit

import (
	"time"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/access"
)

// Recent returns the caller. It fails with access.ErrNotRecent if the login is not
// recent, so that the confirmation comes before a form whose command requires it.
func (v *Visit) Recent() (Caller, error) {
	who, err := v.Whoami()
	if err != nil {
		return who, err
	}
	if v.Site.Clock.Now().Sub(who.AuthTime) > access.RecentFor {
		return who, access.ErrNotRecent
	}
	return who, nil
}

// Whoami returns the caller.
func (v *Visit) Whoami() (Caller, error) {
	who, err := v.Me().AuthWhoami(v.Context(), client.AuthWhoamiParams{})
	return Caller{
		Subject: who.Subject, Org: who.OrgID, Roles: who.Roles, Scopes: who.Scopes,
		Workspace: who.OrgName, HasPassword: who.HasPassword, AuthTime: who.AuthTime,
	}, err
}

// Caller is the person signed in and the workspace they act in.
type Caller struct {
	Subject string
	// Org and Workspace are the identifier and the name of the active workspace.
	Org, Workspace string
	Roles          []string
	Scopes         access.Permissions
	HasPassword    bool
	AuthTime       time.Time
}
