// Package access says who may do what: the rule that a command declares, the
// caller that it is checked against, and the permissions both speak of
// (specification section 5, contract section 7).
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
	ErrUnauthenticated = fault.New(fault.Auth, "this command needs a credential: send Authorization: Bearer <access token>")
	ErrSuperadmin      = fault.New(fault.Denied, "this command is for superadmins with a session of their own")
	ErrInPerson        = fault.New(fault.Denied, "this command is for people: sign in, and call it with the access token of the session")
	ErrNotForApps      = fault.New(fault.Denied, "this command is about the user who calls it: an app has none, call it as a user")
	ErrUnfinished      = fault.New(fault.Denied, "first do what is required of you, as the login told, and sign in again")
	ErrUnproved        = fault.New(fault.Denied, "first verify your e-mail address by the link in the mail: AUTH.RESEND_VERIFICATION sends it again, AUTH.VERIFY_EMAIL takes it")
	ErrNotRecent       = fault.New(fault.Auth, "prove again that it is you: call AUTH.REAUTHENTICATE, then this command")
	ErrAppsOnly        = fault.New(fault.Denied, "this command is for apps: call it with an M2M token, see M2M.TOKEN")
)

type level int

const (
	open level = iota
	anybody
	holder
	superadmin
	client
)

// Rule is who may call a command. The zero rule is public.
type Rule struct {
	level      level
	permission string
	honours    bool
	kinds      []Kind
	unfinished bool
	unproved   bool
	anywhere   bool
	recent     bool
	scope      string
	unscoped   bool
}

// RecentFor is how long a proof of presence counts as recent (contract section 3).
const RecentFor = 15 * time.Minute

// Public lets everybody in; a credential that is sent is not looked at, so that
// one that has expired does not keep anybody from logging in.
func Public() Rule { return Rule{level: open} }

// Optional lets everybody in, and tells the command who a credential belongs to
// when one is sent.
func Optional() Rule { return Rule{level: open, honours: true} }

// User lets any person in, for own things, also by an API key.
func User() Rule { return Rule{level: anybody, kinds: []Kind{Person, Key}} }

// Anybody lets any authenticated subject in, an app too.
func Anybody() Rule { return Rule{level: anybody, kinds: []Kind{Person, Key, App}} }

// Holding lets in who holds a permission in the active workspace.
func Holding(permission string) Rule {
	return Rule{level: holder, permission: permission, kinds: []Kind{Person, Key, App, Delegated}}
}

// Superadmin lets superadmins in, by a session of theirs alone.
func Superadmin() Rule { return Rule{level: superadmin, kinds: []Kind{Person}} }

// Client lets in apps whose M2M token carries a scope.
func Client(scope string) Rule { return Rule{level: client, permission: scope, kinds: []Kind{App}} }

// InPerson narrows a rule to sessions: what a stolen or forgotten key must not do,
// and what no machine sensibly does.
func (r Rule) InPerson() Rule {
	r.kinds = []Kind{Person}
	return r
}

// But narrows a rule by a kind of caller.
func (r Rule) But(kind Kind) Rule {
	r.kinds = slices.DeleteFunc(slices.Clone(r.kinds), func(k Kind) bool { return k == kind })
	return r
}

// Unfinished opens a rule to people who have yet to do what is required of them.
func (r Rule) Unfinished() Rule {
	r.unfinished = true
	return r
}

// Unproved opens a rule to people whose address must be verified before anything else,
// and to others who have yet to do what is required of them.
func (r Rule) Unproved() Rule {
	r.unproved = true
	return r.Unfinished()
}

// Anywhere opens a rule to sessions whose active workspace lets nobody in from the address
// of the call: it leads people out of there.
func (r Rule) Anywhere() Rule {
	r.anywhere = true
	return r
}

// Delegated opens a rule to clients that act for a person.
func (r Rule) Delegated() Rule {
	r.kinds = append(slices.Clone(r.kinds), Delegated)
	return r
}

// Recent asks sessions for a recent proof of presence, by a second factor where the
// account has one: what somebody who finds an open browser, or who has the password
// alone, must not do. API keys and M2M tokens are bound by their scopes instead,
// and clients that act for a person are never let in.
func (r Rule) Recent() Rule {
	r = r.But(Delegated)
	r.recent = true
	return r
}

// Scoped asks API keys and M2M tokens for a permission among their scopes, or for the
// scope *: what changes things of the caller's own asks people for no permission, but a
// key that was given for reading must not change anything.
func (r Rule) Scoped(permission string) Rule {
	r.scope = permission
	return r
}

// Unscoped declares that any API key or M2M token may call a command that writes for
// the caller: what it writes gives nothing, and changes nothing of a person's.
func (r Rule) Unscoped() Rule {
	r.unscoped = true
	return r
}

// Scope returns what API keys and M2M tokens need among their scopes, unless they have *; it
// is "" where they need none beside the permission that everybody needs.
func (r Rule) Scope() string { return r.scope }

// WantsScope reports whether a command of this rule that writes must declare Scoped or
// Unscoped: it asks for no permission, and takes API keys or M2M tokens.
func (r Rule) WantsScope() bool {
	machines := slices.Contains(r.kinds, Key) || slices.Contains(r.kinds, App)
	return r.level == anybody && machines && r.scope == "" && !r.unscoped
}

// AsksRecent reports whether sessions need a recent proof of presence.
func (r Rule) AsksRecent() bool { return r.recent }

// TakesUnfinished reports whether the rule is open to people who have yet to do what
// is required of them. Where no credential is looked at, everybody may call.
func (r Rule) TakesUnfinished() bool { return r.unfinished }

// TakesUnproved reports whether the rule is open to people whose address must be
// verified before anything else.
func (r Rule) TakesUnproved() bool { return r.unproved }

// TakesAnywhere reports whether the rule is open to sessions from addresses that their
// active workspace does not let in.
func (r Rule) TakesAnywhere() bool { return r.anywhere }

// CheckRecent fails with ErrNotRecent for a session without a recent proof of
// presence: its person neither logged in nor reauthenticated within RecentFor, or did
// so without a second factor although the account has one.
func CheckRecent(c Caller, now time.Time) error {
	if c.Kind != Person {
		return nil
	}
	if now.Sub(c.AuthTime) > RecentFor || (c.SecondFactor && !slices.Contains(c.AMR, session.ByFactors)) {
		return ErrNotRecent
	}
	return nil
}

// Kinds returns the kinds of callers that the rule lets in; an open rule lets all in.
func (r Rule) Kinds() []Kind {
	if r.level == open {
		return []Kind{Person, Key, App, Delegated}
	}
	return r.kinds
}

// Anonymous reports whether the rule needs no credential.
func (r Rule) Anonymous() bool { return r.level == open }

// Honours reports whether a credential is looked at when one is sent.
func (r Rule) Honours() bool { return r.level != open || r.honours }

// Permission returns the permission the rule asks for, or "".
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

// Check lets a caller through, or fails with AUTH_ERROR when there is no
// credential and PERMISSION_DENIED when it does not suffice.
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
		return fault.New(fault.Denied, "this command needs an M2M token with the scope "+r.permission)
	case r.level == holder && !c.May(r.permission):
		return fault.New(fault.Denied, "this command needs the permission "+r.permission)
	case r.level == superadmin && !c.Superadmin:
		return ErrSuperadmin
	case !r.covered(c):
		return fault.New(fault.Denied, "this command needs an API key or token with the scope "+r.scope+", or *")
	}
	return nil
}

// covered reports whether the scopes of an API key or an M2M token suffice; a session
// has none.
func (r Rule) covered(c Caller) bool {
	return r.scope == "" || c.Kind == Person || Permissions(c.Scopes).Cover("*") || c.May(r.scope)
}

// Fits fails when a rule lets no caller of this kind in, whoever it is.
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
	case kind == App && slices.Contains(r.kinds, Key):
		return ErrNotForApps
	default:
		return ErrInPerson
	}
}
