// Package access says who may do what: the rule that a command declares, the
// caller that it is checked against, and the permissions both speak of
// (specification section 5, contract section 7).
package access

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
)

// Errors of a caller that a rule does not let through.
var (
	ErrUnauthenticated = fault.New(fault.Auth, "this command needs a credential: send Authorization: Bearer <access token>")
	ErrSuperadmin      = fault.New(fault.Denied, "this command is for superadmins with a session of their own")
	ErrInPerson        = fault.New(fault.Denied, "this command is for people: log in, and call it with the access token of the session")
	ErrNotForApps      = fault.New(fault.Denied, "this command is about the user who calls it: an app has none, call it as a user")
	ErrUnfinished      = fault.New(fault.Denied, "first do what is required of you, as the login told, and log in again")
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
	recent     bool
}

// RecentFor is how long a proof of presence counts as recent.
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
	return Rule{level: holder, permission: permission, kinds: []Kind{Person, Key, App}}
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

// Recent narrows a rule to sessions whose person proved presence a short time ago:
// what somebody who finds an open browser must not do.
func (r Rule) Recent() Rule {
	r = r.InPerson()
	r.recent = true
	return r
}

// AsksRecent tells whether presence must have been proved a short time ago.
func (r Rule) AsksRecent() bool { return r.recent }

// TakesUnfinished tells whether the rule is open to people who have yet to do what
// is required of them. Where no credential is looked at, everybody may call.
func (r Rule) TakesUnfinished() bool { return r.unfinished }

// CheckPresence fails with ErrNotRecent where the rule asks for more.
func (r Rule) CheckPresence(c Caller, now time.Time) error {
	if r.recent && now.Sub(c.AuthTime) > RecentFor {
		return ErrNotRecent
	}
	return nil
}

// Kinds are the kinds of callers that the rule lets in; an open rule lets all in.
func (r Rule) Kinds() []Kind {
	if r.level == open {
		return []Kind{Person, Key, App}
	}
	return r.kinds
}

// Anonymous tells whether the rule needs no credential.
func (r Rule) Anonymous() bool { return r.level == open }

// Honours tells whether a credential is looked at when one is sent.
func (r Rule) Honours() bool { return r.level != open || r.honours }

// Permission is the permission the rule asks for, or "".
func (r Rule) Permission() string { return r.permission }

// String is the published form: public, user, permission:<name>, superadmin or
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
	case c.Unfinished && !r.unfinished:
		return ErrUnfinished
	case r.level == client && !c.May(r.permission):
		return fault.New(fault.Denied, "this command needs an M2M token with the scope "+r.permission)
	case r.level == holder && !c.May(r.permission):
		return fault.New(fault.Denied, "this command needs the permission "+r.permission)
	case r.level == superadmin && !c.Superadmin:
		return ErrSuperadmin
	}
	return nil
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
