// Package access says who may do what: the rule that a command declares, the
// caller that it is checked against, and the permissions both speak of
// (specification section 5, contract section 7).
package access

import "gatehouse.internal/domain/fault"

// Errors of a caller that a rule does not let through.
var (
	ErrUnauthenticated = fault.New(fault.Auth, "this command needs a credential: send Authorization: Bearer <access token>")
	ErrSuperadmin      = fault.New(fault.Denied, "this command is for superadmins")
)

type level int

const (
	open level = iota
	anybody
	holder
	superadmin
)

// Rule is who may call a command. The zero rule is public.
type Rule struct {
	level      level
	permission string
	honours    bool
}

// Public lets everybody in; a credential that is sent is not looked at, so that
// one that has expired does not keep anybody from logging in.
func Public() Rule { return Rule{level: open} }

// Optional lets everybody in, and tells the command who a credential belongs to
// when one is sent.
func Optional() Rule { return Rule{level: open, honours: true} }

// User lets any authenticated subject in, for own things.
func User() Rule { return Rule{level: anybody} }

// Holding lets in who holds a permission in the active workspace.
func Holding(permission string) Rule { return Rule{level: holder, permission: permission} }

// Superadmin lets superadmins in.
func Superadmin() Rule { return Rule{level: superadmin} }

// Anonymous tells whether the rule needs no credential.
func (r Rule) Anonymous() bool { return r.level == open }

// Honours tells whether a credential is looked at when one is sent.
func (r Rule) Honours() bool { return r.level != open || r.honours }

// Permission is the permission the rule asks for, or "".
func (r Rule) Permission() string { return r.permission }

// String is the published form: public, user, permission:<name> or superadmin.
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
	}
	return "invalid"
}

// Check lets a caller through, or fails with AUTH_ERROR when there is no
// credential and PERMISSION_DENIED when it does not suffice.
func (r Rule) Check(c Caller) error {
	switch {
	case r.level == open:
		return nil
	case !c.Authenticated():
		return ErrUnauthenticated
	case r.level == holder && !c.May(r.permission):
		return fault.New(fault.Denied, "this command needs the permission "+r.permission)
	case r.level == superadmin && !c.Superadmin:
		return ErrSuperadmin
	}
	return nil
}
