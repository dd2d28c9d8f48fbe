package job

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// ErrLess is returned if the maker of a job no longer has the permissions that it
// needs.
var ErrLess = fault.New(fault.Denied, "you no longer have the permissions this job requires")

// ErrElsewhere is returned if the maker of a job acts in another workspace than then.
var ErrElsewhere = fault.Unfit("/org_id", "must be the workspace the job was started in")

// Maker is the creator of a job. The job outlives the session or token that started it,
// and acts with the maker's permissions at the time of each step.
type Maker struct {
	// UserID is the person, also behind an API key; empty for an app.
	UserID user.ID `json:",omitzero"`
	// Key is the API key that started the job, App the app; empty for a person.
	Key apikey.ID `json:",omitzero"`
	App app.ID    `json:",omitzero"`
	// OrgID is the active workspace, in which a person must have the required
	// permissions.
	OrgID workspace.ID `json:",omitzero"`
	// Scopes are those of the key or token.
	Scopes []string
	// Needs is the permission that the job takes; Superadmin reports whether only one of
	// them may have it done.
	Needs      string
	Superadmin bool
	// System reports whether the service itself acts: the job continues whatever
	// happens to the maker, cannot be canceled, and is retried until it succeeds.
	System bool `json:",omitzero"`
	// Origin is the origin of the call that started the job.
	Origin event.Origin
}

// MakerOf returns a caller as the maker of a job that takes a permission.
func MakerOf(c access.Caller, origin event.Origin, needs string, superadmin bool) Maker {
	return Maker{
		UserID: c.User, Key: c.APIKey, App: c.App, OrgID: c.Org, Scopes: c.Scopes,
		Needs: needs, Superadmin: superadmin, Origin: origin,
	}
}

// Is reports whether a caller is the maker: the same key or app, or the person in a
// session. Keys do not match jobs of their owner or of other keys, which may have more
// permissions.
func (m Maker) Is(c access.Caller) bool {
	switch c.Kind {
	case access.Person, access.Impersonated:
		return m.UserID != "" && m.UserID == c.User
	case access.Key:
		return m.Key != "" && m.Key == c.APIKey
	case access.App:
		return m.App != "" && m.App == c.App
	case access.Delegated: // starts no jobs
	}
	return false
}

// Within reports whether a caller acts in the workspace whose permissions the job needs. What
// the instance grants is the same in all workspaces.
func (m Maker) Within(c access.Caller) bool {
	return c.Superadmin || m.Superadmin || c.Org == m.OrgID || access.IsInstance(m.Needs)
}

// Entitled reports whether a caller has the permissions that the job needs.
func (m Maker) Entitled(c access.Caller) bool {
	return c.May(m.Needs) && (!m.Superadmin || c.Superadmin)
}
