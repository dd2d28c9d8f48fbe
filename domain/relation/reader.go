package relation

import (
	"context"
	"strings"
)

// What one question may take.
const (
	// MostDepth is how many tuples lie one behind another at most, MostTuples how many
	// are read.
	MostDepth  = 25
	MostTuples = 10_000
	// mostNodes is the maximum number of cached nodes of a question.
	mostNodes = 100_000
)

// Pair is a relation of an object.
type Pair struct {
	Object   Object
	Relation string
}

func (p Pair) String() string { return p.Object.String() + "#" + p.Relation }

// Query is everything that a level of a search reads at once, without duplicates.
type Query struct {
	// Exact are tuples that may be there.
	Exact []Key
	// Usersets requests the tuples of relations with usersets as subjects, and Objects
	// those with objects or wildcards.
	Usersets, Objects []Pair
	// Limit is how many of the Usersets and of the Objects are given, at most.
	Limit int
}

func (q Query) size() int { return len(q.Exact) + len(q.Usersets) + len(q.Objects) }

// steps returns what the query takes.
func (q Query) steps() int { return readSteps + keySteps*q.size() }

// QueryResult is the result of a query.
type QueryResult struct {
	Exact, Usersets, Objects []Tuple
	// More reports whether there are more Usersets or Objects than were asked for.
	More bool
}

// Reader reads the tuples of one workspace, as they were at one revision.
type Reader interface {
	Read(ctx context.Context, q Query) (QueryResult, error)
}

// Conditions evaluates the conditions of a model.
type Conditions interface {
	// Holds reports whether a condition holds for the values of its parameters. It fails
	// with a *ConditionError where these do not suffice.
	Holds(ctx context.Context, condition *Condition, values map[string]any) (bool, error)
}

// ConditionError is returned if a condition cannot be evaluated.
type ConditionError struct {
	Condition string
	Message   string
}

func (e *ConditionError) Error() string {
	return "the condition " + e.Condition + " cannot be evaluated: " + e.Message
}

// Native reports whether the relation is that of a group of this service to its members.
// Its tuples are the memberships, group:grp_…#member@user:usr_…, and never written.
func (p Pair) Native() bool { return p.Relation == memberRelation && NativeGroup(p.Object) }

// NativeGroup reports whether an object is a group of this service.
func NativeGroup(o Object) bool {
	const prefix = "grp_"
	return o.Type == groupType && len(o.ID) == len(prefix)+26 && strings.HasPrefix(o.ID, prefix)
}
