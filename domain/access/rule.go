// Package access implements authorization: the access rules of commands, callers, and
// permissions (specification section 5, contract section 7).
package access

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// Errors of a caller that a rule does not let through.
var (
	ErrUnauthenticated = fault.New(fault.Auth, "authentication required: send Authorization: Bearer <access token>")
	ErrSuperadmin      = fault.New(fault.Denied, "only superadmins can call this command, with an access token from their own session")
	ErrInPerson        = fault.New(fault.Denied, "this command requires a user session: sign in and use that session's access token")
	ErrNotForApps      = fault.New(fault.Denied, "this command acts on the calling user: call it as a user, not as an app")
	ErrUnfinished      = fault.New(fault.Denied, "required actions are pending: complete the actions listed at sign-in, then sign in again")
	ErrUnproved        = fault.New(fault.Denied, "email address not verified: use the emailed link (AUTH.VERIFY_EMAIL) or request another (AUTH.RESEND_VERIFICATION)")
	ErrNotRecent       = fault.New(fault.Auth, "recent sign-in required: call AUTH.REAUTHENTICATE, then try again")
	ErrForPerson       = fault.New(fault.Denied, "only the users themselves can call this command, not someone acting on their behalf")
	ErrReadOnly        = fault.New(fault.Denied, "this impersonation is read-only: it was started with read_only")
	ErrAppsOnly        = fault.New(fault.Denied, "only apps can call this command: use an M2M token from M2M.TOKEN")
)

type level int

const (
	open level = iota
	anybody
	holder
	superadmin
	client
)

// Rule is the access rule of a command. The zero rule is public.
type Rule struct {
	level      level
	permission string
	honors     bool
	kinds      []Kind
	unfinished bool
	unproved   bool
	anywhere   bool
	recent     bool
	presence   bool
	scope      string
	unscoped   bool
}

// RecentFor is how long a proof of presence counts as recent (contract section 3).
const RecentFor = 15 * time.Minute

// Public returns a rule that admits everybody. Credentials are ignored, so that an
// expired one does not prevent a login.
func Public() Rule { return Rule{level: open} }

// Optional returns a rule that admits everybody; the command knows the caller if a
// credential is sent.
func Optional() Rule { return Rule{level: open, honors: true} }

// User returns a rule that admits people, for their own resources, including by an API
// key, and support that acts as them.
func User() Rule { return Rule{level: anybody, kinds: []Kind{Person, Key, Impersonated}} }

// Anybody returns a rule that admits every authenticated caller, including apps.
func Anybody() Rule { return Rule{level: anybody, kinds: []Kind{Person, Key, App, Impersonated}} }

// Holding returns a rule that admits callers with a permission in the active workspace.
func Holding(permission string) Rule {
	return Rule{level: holder, permission: permission, kinds: []Kind{Person, Key, App, Delegated, Impersonated}}
}

// Superadmin returns a rule that admits superadmins, with a session only.
func Superadmin() Rule { return Rule{level: superadmin, kinds: []Kind{Person}} }

// Client returns a rule that admits apps whose M2M token has a scope.
func Client(scope string) Rule { return Rule{level: client, permission: scope, kinds: []Kind{App}} }

// InPerson restricts a rule to sessions of the person's own, for commands that a stolen key or
// support that acts as them must not call and that make no sense for programs.
func (r Rule) InPerson() Rule {
	r.kinds = []Kind{Person}
	return r
}

// But narrows a rule by a kind of caller.
func (r Rule) But(kind Kind) Rule {
	r.kinds = slices.DeleteFunc(slices.Clone(r.kinds), func(k Kind) bool { return k == kind })
	return r
}

// Unfinished extends a rule to people with required actions.
func (r Rule) Unfinished() Rule {
	r.unfinished = true
	return r
}

// Unproved extends a rule to people whose address must be verified first, and to those
// with other required actions.
func (r Rule) Unproved() Rule {
	r.unproved = true
	return r.Unfinished()
}

// Anywhere extends a rule to sessions whose active workspace denies the client's
// address, so that people can leave that workspace.
func (r Rule) Anywhere() Rule {
	r.anywhere = true
	return r
}

// Delegated opens a rule to clients that act for a person.
func (r Rule) Delegated() Rule {
	r.kinds = append(slices.Clone(r.kinds), Delegated)
	return r
}

// Impersonated returns a rule that also admits support that acts as a person.
func (r Rule) Impersonated() Rule {
	r.kinds = append(slices.Clone(r.kinds), Impersonated)
	return r
}

// Recent requires a recent login of sessions, with a second factor if the account has
// one. It protects against somebody at an unlocked browser or with the password only.
// API keys and M2M tokens are limited by scopes instead; clients that act for a person
// and support that acts as one are not admitted.
func (r Rule) Recent() Rule {
	r = r.But(Delegated).But(Impersonated)
	r.recent = true
	return r
}

// Presence prepares a rule for handlers that decide with CheckRecent, by what they find in
// the store, which calls need a recent login: the caller's second factor is known to them.
func (r Rule) Presence() Rule {
	r.presence = true
	return r
}

// Scoped requires that API keys and M2M tokens have a permission, or *, among their
// scopes. Commands on the caller's own resources need no permission of people, but a
// read-only key must not execute commands that write.
func (r Rule) Scoped(permission string) Rule {
	r.scope = permission
	return r
}

// Unscoped declares that any API key or M2M token may call a command that writes for
// the caller, because it grants nothing and changes nothing of a person.
func (r Rule) Unscoped() Rule {
	r.unscoped = true
	return r
}

// Scope returns the scope that API keys and M2M tokens need unless they have *; "" if
// they need none except the permission of the rule.
func (r Rule) Scope() string { return r.scope }

// WantsScope reports whether a command that writes must declare Scoped or Unscoped: it
// needs no permission, and admits API keys or M2M tokens.
func (r Rule) WantsScope() bool {
	machines := slices.Contains(r.kinds, Key) || slices.Contains(r.kinds, App)
	return r.level == anybody && machines && r.scope == "" && !r.unscoped
}

// AsksRecent reports whether sessions need a recent proof of presence.
func (r Rule) AsksRecent() bool { return r.recent }

// WeighsPresence reports whether the handler decides which calls need a recent login.
func (r Rule) WeighsPresence() bool { return r.presence }

// TakesUnfinished reports whether the rule admits people with required actions. Public
// rules do.
func (r Rule) TakesUnfinished() bool { return r.unfinished }

// TakesUnproved reports whether the rule admits people whose address must be verified
// first.
func (r Rule) TakesUnproved() bool { return r.unproved }

// TakesAnywhere reports whether the rule is open to sessions from addresses that their
// active workspace does not let in.
func (r Rule) TakesAnywhere() bool { return r.anywhere }

// CheckRecent fails with ErrNotRecent for a session without a recent proof of
// presence: its person neither logged in nor reauthenticated within RecentFor, or did
// so without a second factor although the account has one. It fails with ErrForPerson for a session
// in which somebody else acts as them: nobody proved presence.
func CheckRecent(c Caller, now time.Time) error {
	if c.Kind == Impersonated {
		return ErrForPerson
	}
	if c.Kind != Person {
		return nil
	}
	if now.Sub(c.AuthTime) > RecentFor || (c.SecondFactor && !slices.Contains(c.AMR, session.ByFactors)) {
		return ErrNotRecent
	}
	return nil
}

// Kinds returns the kinds of callers that the rule admits; for a public rule all kinds.
func (r Rule) Kinds() []Kind {
	if r.level == open {
		return []Kind{Person, Key, App, Delegated, Impersonated}
	}
	return r.kinds
}

// Anonymous reports whether the rule needs no credential.
func (r Rule) Anonymous() bool { return r.level == open }

// Honors reports whether a credential is looked at when one is sent.
func (r Rule) Honors() bool { return r.level != open || r.honors }

// Permission returns the required permission, or "".
func (r Rule) Permission() string { return r.permission }

// String returns the published form: public, user, permission:<name>, superadmin or
// client:<scope>.
func (r Rule) String() string {
	switch r.level {
	case open:
		return "public"
	case anybody:
		return "user"
	case holder:
		return "permission:" + r.permission
	case superadmin:
		return "superadmin"
	case client:
		return "client:" + r.permission
	}
	return "invalid"
}

// Check returns nil if the rule admits a caller. It fails with AUTH_ERROR if there is
// no credential, and with PERMISSION_DENIED if it does not suffice.
func (r Rule) Check(c Caller) error {
	if err := r.Fits(c.Kind); err != nil {
		return err
	}
	switch {
	case c.Halted && r.level != open:
		return workspace.ErrSuspended
	case c.Unfinished && !r.unfinished:
		return ErrUnfinished
	case c.Unproved && !r.unproved:
		return ErrUnproved
	case r.level == client && !c.May(r.permission):
		return fault.New(fault.Denied, "this command requires an M2M token with the scope "+r.permission)
	case r.level == holder && !c.May(r.permission):
		return fault.New(fault.Denied, "this command requires the permission "+r.permission)
	case r.level == superadmin && !c.Superadmin:
		return ErrSuperadmin
	case !r.covered(c):
		return fault.New(fault.Denied, "this command requires an API key or token with the scope "+r.scope+" or *")
	}
	return nil
}

// covered reports whether the scopes of an API key or an M2M token suffice; a session
// has none.
func (r Rule) covered(c Caller) bool {
	return r.scope == "" || c.Kind.InSession() || Permissions(c.Scopes).Cover("*") || c.May(r.scope)
}

// Fits fails if the rule admits no caller of a kind.
func (r Rule) Fits(kind Kind) error {
	switch {
	case r.level == open || slices.Contains(r.kinds, kind):
		return nil
	case kind == "":
		return ErrUnauthenticated
	case r.level == superadmin:
		return ErrSuperadmin
	case r.level == client:
		return ErrAppsOnly
	case kind == Impersonated:
		return ErrForPerson
	case kind == App && slices.Contains(r.kinds, Key):
		return ErrNotForApps
	default:
		return ErrInPerson
	}
}
