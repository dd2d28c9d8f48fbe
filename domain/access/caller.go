package access

import (
	"net/netip"
	"slices"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kind is what a caller presented.
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
)

// Caller is who stands behind a request, as the store knew it at the request's
// own moment. The zero caller is anonymous.
type Caller struct {
	Kind Kind
	// User is the person, also behind an API key or a client that acts for them; empty for an
	// app.
	User    user.ID
	Session session.ID
	// APIKey is the key that was presented, if it was one.
	APIKey apikey.ID
	// App is the application that the token was issued to, Client its client_id.
	App    app.ID
	Client string
	// Only is the one app that the caller reaches, by its registration access token; empty
	// for who is not bound to one.
	Only app.ID
	// KnownAs is what a client that acts for a person knows them by.
	KnownAs string
	// Claims are those about the person that it gets beyond those of Scopes.
	Claims []string
	Org    workspace.ID
	// OrgName is the name of Org; it is read with the token of an app alone.
	OrgName string
	Roles   []string
	// Permissions are what the caller holds in the active workspace. With an API key
	// or an M2M token they are the share that its scopes leave.
	Permissions Permissions
	// Source says through what a person holds the permissions; nil for an app.
	Source Source
	// Grant is what lets an application act for the person.
	Grant oauth.GrantID
	// Sources are the grants that this one came from by exchanges.
	Sources []oauth.GrantID
	// Scopes are those of an API key, an M2M token or a grant.
	Scopes []string
	// Superadmin callers pass every permission check. Only a session carries that.
	Superadmin bool
	// Unfinished callers have yet to do what is required of them, and may do no more.
	Unfinished bool
	// Unproved callers have an address that the signup policy wants verified first, and
	// may do nothing else.
	Unproved bool
	// Halted callers act in a workspace that is suspended, and may do what anybody may.
	Halted bool
	// Profile is the account as it was read with the credential.
	Profile user.Snapshot
	// AuthTime is when the person last proved presence.
	AuthTime time.Time
	// AMR is how (RFC 8176).
	AMR []string
	// SecondFactor reports whether the account has a second factor or a passkey. It is
	// read only for commands that ask for a recent proof of presence.
	SecondFactor bool
	// ExpiresAt is the end of the credential that was presented; unset for a key
	// that does not end.
	ExpiresAt time.Time
}

// Source says through what somebody holds permissions.
type Source interface {
	// Via names what grants a permission, such as role:editor or group:ops/role:editor;
	// "" where nothing does.
	Via(permission string) string
}

// Authenticated reports whether there is anybody behind the request.
func (c Caller) Authenticated() bool { return c.Kind != "" }

// May reports whether the caller holds a permission in the active workspace.
func (c Caller) May(permission string) bool {
	return c.Superadmin || c.Permissions.Cover(permission)
}

// Sees reports whether what belongs to a workspace is visible to the caller: it is to
// those who act in that workspace, and to superadmins.
func (c Caller) Sees(org workspace.ID) bool {
	return c.Superadmin || (org != "" && c.Org == org)
}

// Reaches reports whether the caller is not bound to another app than this one.
func (c Caller) Reaches(one app.ID) bool { return c.Only == "" || c.Only == one }

// Beyond names the first of scopes that is a permission of this service and is not the
// caller's to give; "" when there is none. Those that reach across workspaces are for
// superadmins alone.
func (c Caller) Beyond(scopes []string) string {
	for _, scope := range scopes {
		if !c.Superadmin && IsOwn(scope) && (IsInstance(scope) || !c.May(scope)) {
			return scope
		}
	}
	return ""
}

// Horizon returns the workspace that lists of the caller are bounded by; it is empty,
// which bounds them by none, for superadmins alone. It fails with
// workspace.ErrNotFound for somebody else who acts in no workspace.
func (c Caller) Horizon() (workspace.ID, error) {
	switch {
	case c.Superadmin:
		return "", nil
	case c.Org == "":
		return "", workspace.ErrNotFound
	}
	return c.Org, nil
}

// Subject names the caller among all: what lists, limits and stored answers are
// kept apart by. It is empty for an anonymous one.
func (c Caller) Subject() string {
	switch c.Kind {
	case Person:
		return c.User.String()
	case Key:
		return c.APIKey.String()
	case App:
		return c.App.String()
	case Delegated:
		return c.Grant.String()
	}
	return ""
}

// Share narrows what somebody holds to what scopes name. A scope that is wider
// than what is held gives what is held of the catalogue.
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

// heldOf returns the permissions of the catalogue that both cover.
func heldOf(held Permissions, scope string) Permissions {
	var both Permissions
	for _, p := range Catalogue() {
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
