package access

import (
	"net/netip"
	"slices"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kind is the kind of credential of a caller.
type Kind string

// The kinds of callers. The zero kind is an anonymous one.
const (
	// Person is a user with a session.
	Person Kind = "session"
	// Key is a user's API key.
	Key Kind = "api_key"
	// App is an application with an M2M token.
	App Kind = "app"
	// Delegated is an application that acts for a person, with a token that they let it have.
	Delegated Kind = "delegated"
	// Impersonated is a user as whom somebody else acts, in an impersonated session.
	Impersonated Kind = "impersonation"
)

// InSession reports whether the credential is a session, whoever acts in it.
func (k Kind) InSession() bool { return k == Person || k == Impersonated }

// Caller is the authenticated subject of a request, as stored at the time of the
// request. The zero caller is anonymous.
type Caller struct {
	Kind Kind
	// User is the person, also behind an API key, a client that acts for them or somebody who acts as
	// them; empty for an app.
	User    user.ID
	Session session.ID
	// Actor is who acts as the person by an Impersonation, which is ReadOnly where nothing may be
	// changed; empty but for Impersonated.
	Actor         user.ID
	Impersonation impersonation.ID
	ReadOnly      bool
	// APIKey is the key that was presented, if it was one.
	APIKey apikey.ID
	// App is the application that the token was issued to, Client its client_id.
	App    app.ID
	Client string
	// Only is the only app that the caller may access, by its registration access
	// token; empty for no such restriction.
	Only app.ID
	// KnownAs is the subject identifier of the person for the client that acts for
	// them.
	KnownAs string
	// Claims are those about the person that it gets beyond those of Scopes.
	Claims []string
	// ActingApp is the application that acts for the person, and Affiliation what it is
	// told about their place in a workspace, as far as Scopes and Claims tell it.
	ActingApp   *app.Snapshot
	Affiliation oauth.Affiliation
	Org         workspace.ID
	// OrgName is the name of Org; it is read with the token of an app alone.
	OrgName string
	Roles   []string
	// Permissions are the caller's permissions in the active workspace. With an API key
	// or an M2M token they are limited by its scopes.
	Permissions Permissions
	// Source tells which roles and groups grant the permissions of a person; nil for an
	// app.
	Source Source
	// Grant is the grant by which an application acts for the person.
	Grant oauth.GrantID
	// Sources are the grants from which this one derives by token exchange.
	Sources []oauth.GrantID
	// Scopes are those of an API key, an M2M token or a grant.
	Scopes []string
	// Superadmin callers pass every permission check. Only a session carries that.
	Superadmin bool
	// Unfinished reports whether the caller has required actions, and is limited to
	// these.
	Unfinished bool
	// Unproved reports whether the signup policy requires the caller's address to be
	// verified before anything else.
	Unproved bool
	// Halted reports whether the active workspace is suspended; the caller is then
	// limited to public commands.
	Halted bool
	// Profile is the account as it was read with the credential.
	Profile user.Snapshot
	// AuthTime is when the person last proved presence.
	AuthTime time.Time
	// AMR is how (RFC 8176).
	AMR []string
	// Within is the session as it was read with the credential; nil for a caller without one.
	Within *session.Snapshot
	// SecondFactor reports whether the account has a second factor or a passkey. It is
	// set only for commands that require a recent login.
	SecondFactor bool
	// ExpiresAt is the end of the credential that was presented; unset for a key
	// that does not end.
	ExpiresAt time.Time
}

// Source tells which roles and groups grant permissions.
type Source interface {
	// Via returns what grants a permission, such as role:editor or
	// group:ops/role:editor; "" if nothing does.
	Via(permission string) string
}

// Authenticated reports whether the caller is not anonymous.
func (c Caller) Authenticated() bool { return c.Kind != "" }

// May reports whether the caller holds a permission in the active workspace.
func (c Caller) May(permission string) bool {
	return c.Superadmin || c.Permissions.Cover(permission)
}

// Sees reports whether the caller may see resources of a workspace: callers that act in
// it, and superadmins.
func (c Caller) Sees(org workspace.ID) bool {
	return c.Superadmin || (org != "" && c.Org == org)
}

// Reaches reports whether the caller is not bound to another app than this one.
func (c Caller) Reaches(one app.ID) bool { return c.Only == "" || c.Only == one }

// Beyond returns the first of scopes that is a permission of this service which the
// caller may not grant; "" if there is none. Only superadmins may grant permissions
// across workspaces.
func (c Caller) Beyond(scopes []string) string {
	for _, scope := range scopes {
		if !c.Superadmin && IsOwn(scope) && (IsInstance(scope) || !c.May(scope)) {
			return scope
		}
	}
	return ""
}

// Horizon returns the workspace that lists of the caller are limited to; for
// superadmins it is empty, which means no limit. It fails with workspace.ErrNotFound
// for other callers without a workspace.
func (c Caller) Horizon() (workspace.ID, error) {
	switch {
	case c.Superadmin:
		return "", nil
	case c.Org == "":
		return "", workspace.ErrNotFound
	}
	return c.Org, nil
}

// Subject returns a unique name of the caller, used for lists, limits and stored
// answers. It is empty for an anonymous caller.
func (c Caller) Subject() string {
	switch c.Kind {
	case Person:
		return c.User.String()
	case Key:
		return c.APIKey.String()
	case Impersonated:
		return c.Session.String() // not the person's own, who have answers of theirs
	case App:
		return c.App.String()
	case Delegated:
		return c.Grant.String()
	}
	return ""
}

// Share limits held permissions to scopes. A scope wider than the held permissions
// results in those of them that are in the catalog.
func Share(held Permissions, everything bool, scopes []string) Permissions {
	var share Permissions
	for _, scope := range scopes {
		switch {
		case everything || held.Cover(scope):
			share = append(share, scope)
		default:
			share = append(share, heldOf(held, scope)...)
		}
	}
	return share
}

// heldOf returns the permissions of the catalog that both cover.
func heldOf(held Permissions, scope string) Permissions {
	var both Permissions
	for _, p := range Catalog() {
		if held.Cover(p.Name) && (Permissions{scope}).Cover(p.Name) {
			both = append(both, p.Name)
		}
	}
	return both
}

// AllowedFrom reports whether a credential with a list of allowed networks may be
// used from an address; an empty list allows all.
func AllowedFrom(allowed []netip.Prefix, ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return len(allowed) == 0 || slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(ip) })
}
