package feature

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"gatehouse.internal/domain/fault"
)

// Limits of rules. MostRules is the number for all features of a workspace, because
// each evaluation may evaluate all of them.
const (
	maxRules  = 20
	maxSalt   = 64
	MostRules = 2000
)

// By is the subject of a rollout.
type By string

// Whom rollouts count.
const (
	ByUser By = "user"
	ByOrg  By = "org"
)

// Rollout takes a share of all people or workspaces.
type Rollout struct {
	Percent float64 `json:"percent" doc:"Share of people or workspaces to include, in percent, accurate to 0.001. Those included stay included while the share grows. 100 includes everybody, even anonymous callers. Lower shares never include anonymous callers." jsonschema:"minimum=0,maximum=100,example=25"`
	By      By      `json:"by,omitzero" doc:"Unit of the rollout: people (user) or workspaces (org). Defaults to user." jsonschema:"enum=user,enum=org"`
	Salt    string  `json:"salt,omitzero" doc:"Text that determines who is included first. Rollouts with the same salt include the same people or workspaces first. Defaults to the key of the feature." jsonschema:"maxLength=64" example:"-"`
}

// Rule assigns a value to those who match its condition.
type Rule struct {
	// When is an expression over user, org and attributes; "" holds for everybody.
	When string `json:"when,omitzero" doc:"CEL expression over user, org and attributes, such as attributes.plan == 'pro' or 'beta' in user.roles. Omit to match everybody. If the expression fails for somebody, the rule does not match them." jsonschema:"maxLength=1024,example=attributes.plan == 'pro'"`
	// Value is the value of the rule; without one, a rollout assigns true.
	Value Value `json:"value,omitzero" doc:"Value that the rule gives. Must have the type of the feature. Defaults to true if the rule has a rollout."`
	// Rollout narrows the rule to a share; nil: all.
	Rollout *Rollout `json:"rollout,omitzero" doc:"Share of the matching people or workspaces that get the value. The others continue with the next rule." example:"-"`
}

// gives returns the value of the rule.
func (r Rule) gives() Value {
	if r.Value.IsZero() {
		return Value{true}
	}
	return r.Value
}

// check returns the errors of a rule of a feature of a type.
func (r Rule) check(of Type, path string) []fault.Field {
	var wrong []fault.Field
	switch {
	case r.Value.IsZero() && r.Rollout == nil:
		wrong = append(wrong, fault.Field{Path: path, Message: "must have a value or a rollout"})
	case r.gives().Type() != of && r.Value.IsZero():
		wrong = append(wrong, fault.Field{Path: path + "/value", Message: "is required: a rollout without a value gives true, but the feature must be " + of.said()})
	case r.gives().Type() != of:
		wrong = append(wrong, fault.Field{Path: path + "/value", Message: "must be " + of.said()})
	}
	if r.Rollout != nil && utf8.RuneCountInString(r.Rollout.Salt) > maxSalt {
		wrong = append(wrong, fault.Field{Path: path + "/rollout/salt", Message: "must have at most 64 characters"})
	}
	return wrong
}

// checkRules returns the errors of the rules of a feature of a type, except those of
// their conditions.
func checkRules(of Type, rules []Rule) []fault.Field {
	if len(rules) > maxRules {
		return []fault.Field{{Path: "/rules", Message: fmt.Sprintf("must have at most %d items", maxRules)}}
	}
	var wrong []fault.Field
	for i, r := range rules {
		wrong = append(wrong, r.check(of, "/rules/"+strconv.Itoa(i))...)
	}
	return wrong
}

// parts are the shares that lots are drawn in: thousandths of a percent.
const parts = 100_000

// takes reports whether a rollout includes a subject. One without a name is only included
// in a rollout to everybody.
//
// The bucket is a SHA-256 hash of the salt and the name, so that it is the same on
// every replica and stable over time; a subject included in a smaller share is included
// in every larger one.
func (r Rollout) takes(feature Key, who Subject) bool {
	taken := uint64(math.Round(r.Percent * parts / 100)) //nolint:mnd // percent
	if taken >= parts {
		return true
	}
	name := who.User
	if r.By == ByOrg {
		name = who.Org
	}
	if name == "" {
		return false
	}
	salt := r.Salt
	if salt == "" {
		salt = string(feature)
	}
	sum := sha256.Sum256([]byte(salt + "\x00" + name))
	lot, _ := bits.Mul64(binary.BigEndian.Uint64(sum[:8]), parts)
	return lot < taken
}
