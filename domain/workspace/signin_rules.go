package workspace

import (
	"slices"
	"time"
)

// SignInRules are the requirements of a workspace for sessions that act in it.
type SignInRules struct {
	// Flows are its enabled flows of the triggers that sign in (flow.Trigger.SignsIn), each by
	// identifier and version.
	Flows []string
	// MFA reports whether the workspace requires a second factor.
	MFA bool
	// Methods are the allowed sign-in methods; empty means all.
	Methods []Method
}

// None reports whether the workspace requires nothing.
func (r SignInRules) None() bool { return len(r.Flows) == 0 && !r.MFA && len(r.Methods) == 0 }

// TighterThan reports whether a session that met other rules may fail to meet these. Every
// new version of a flow counts.
func (r SignInRules) TighterThan(other SignInRules) bool {
	return r.MFA && !other.MFA || anyBeyond(r.Flows, other.Flows) || r.narrows(other.Methods)
}

func (r SignInRules) narrows(methods []Method) bool {
	if len(methods) == 0 {
		methods = Methods()
	}
	return len(r.Methods) > 0 && anyBeyond(methods, r.Methods)
}

// anyBeyond reports whether some elements are not among others.
func anyBeyond[T comparable](some, others []T) bool {
	return slices.ContainsFunc(some, func(one T) bool { return !slices.Contains(others, one) })
}

// RulesMark identifies the current sign-in rules of a workspace.
type RulesMark struct {
	// Revision is the revision of the instance at which the rules were last tightened; 0 if
	// there are no rules.
	Revision int64
	// At is the time of that; zero if it was before releases that record what sessions met.
	At time.Time
}

// Unrecorded stands for the revision of a session or grant of a release that did not record
// what was met. It counts as having met the rules of the time at which it began.
const Unrecorded = -1

// KeptOut stands for the revision of a grant that was given from an address which the workspace
// denies. It meets no rules, even if there are none.
const KeptOut = -2

// MetAt reports whether the rules are met by what met them at a revision of the instance, and
// began at a time.
func (m RulesMark) MetAt(revision int64, began time.Time) bool {
	switch {
	case revision == KeptOut:
		return false
	case m.Revision == 0:
		return true
	case revision == Unrecorded:
		return !began.Before(m.At)
	default:
		return revision >= m.Revision
	}
}
