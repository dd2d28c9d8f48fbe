package kit

import (
	"time"

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
	var who Caller
	err := v.Call("AUTH.WHOAMI", nil, &who)
	return who, err
}

// Caller is the result of AUTH.WHOAMI.
type Caller struct {
	Subject     string             `json:"subject"`
	Org         string             `json:"org_id"`
	Roles       []string           `json:"roles"`
	Scopes      access.Permissions `json:"scopes"`
	Workspace   string             `json:"org_name"`
	HasPassword bool               `json:"has_password"`
	AuthTime    time.Time          `json:"auth_time"`
}
