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

// ErrLess refuses the results of a job to a maker who lost the right to do what it did.
var ErrLess = fault.New(fault.Denied, "you no longer have the right to do what this job did")

// Maker is who started a job. The job outlives the session or token that it was started
// by, and acts for its maker with what they may do at each step.
type Maker struct {
	// UserID is the person, also behind an API key; empty for an app.
	UserID user.ID `json:",omitzero"`
	// Key is the API key that started the job, App the app; empty for a person.
	Key apikey.ID `json:",omitzero"`
	App app.ID    `json:",omitzero"`
	// OrgID is the workspace that was active, in which a person holds what the job takes.
	OrgID workspace.ID `json:",omitzero"`
	// Scopes are those of the key or token.
	Scopes []string
	// Needs is the permission that the job takes; Superadmin reports whether only one of
	// them may have it done.
	Needs      string
	Superadmin bool
	// System reports whether the service itself acts: the job goes on whatever becomes of the
	// maker, nobody cancels it, and it is tried until it is done.
	System bool `json:",omitzero"`
	// Origin is where the call came from that started the job.
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
// session. A key is not given what its person or another key started, which may be more
// than it is allowed.
func (m Maker) Is(c access.Caller) bool {
	switch c.Kind {
	case access.Person:
		return m.UserID != "" && m.UserID == c.User
	case access.Key:
		return m.Key != "" && m.Key == c.APIKey
	case access.App:
		return m.App != "" && m.App == c.App
	case access.Delegated: // starts no jobs
	}
	return false
}

// Entitled reports whether a caller may do what the job does.
func (m Maker) Entitled(c access.Caller) bool {
	return c.May(m.Needs) && (!m.Superadmin || c.Superadmin)
}
