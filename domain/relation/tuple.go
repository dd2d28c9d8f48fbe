package relation

import (
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/fault"
)

// Errors of relations.
var (
	// ErrNoModel is returned if the workspace has no model.
	ErrNoModel = fault.New(fault.NotFound, "the workspace has no relation model: publish one with RELATION.MODEL_SET")
	// ErrNoVersion is returned if the version of the model does not exist.
	ErrNoVersion = fault.New(fault.NotFound, "no such relation model version")
	// ErrTooDeep is returned if a question exceeds the number of reads.
	ErrTooDeep = fault.New(fault.Validation, "the relations are too many or too deep to answer this query")
	// ErrRevision is returned for a revision that the workspace has not had.
	ErrRevision = fault.Unfit("/at_least", "must be a revision of this workspace")
	// ErrGroup is returned for members of a group that does not exist in the workspace.
	ErrGroup = fault.Unfit("/subject", "is not a group in this workspace")
)

// Key identifies a tuple.
type Key struct {
	Object   Object
	Relation string
	Subject  Subject
}

func (k Key) String() string {
	return k.Object.String() + "#" + k.Relation + "@" + k.Subject.String()
}

// Tuple is a relation of a subject to an object.
type Tuple struct {
	Key

	// Condition must be true for the tuple to count. Context are values of its
	// parameters, as JSON; "" for none.
	Condition string
	Context   string
	// ExpiresAt is when it stops to count; zero for never.
	ExpiresAt time.Time
	WrittenAt time.Time
}

// Expired reports whether the tuple counts no more.
func (t Tuple) Expired(now time.Time) bool { return !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now) }

// Shape returns the form of the tuple: document#viewer@user with condition.
func (t Tuple) Shape() string {
	return t.Object.Type + "#" + t.Relation + "@" + Restriction{
		Type: t.Subject.Type, Relation: t.Subject.Relation, Wildcard: t.Subject.Everybody(), Condition: t.Condition,
	}.String()
}

// Fits fails with a validation fault, with paths of members of the tuple, unless the
// model permits the tuple.
func (m *Model) Fits(t Tuple) *fault.Error {
	r, err := m.Defined(t.Object.Type, t.Relation)
	switch {
	case err != nil:
		return err
	case m.types[t.Subject.Type] == nil:
		return fault.Unfit("/subject", "has a type the model does not define")
	}
	if r.takes(t) {
		return nil
	}
	shape, listed := t.Subject.Shape(), []string{}
	for _, one := range r.Direct {
		listed = append(listed, one.String())
	}
	switch {
	case len(listed) == 0:
		return fault.Unfit("/relation", "is computed by the model and cannot have tuples")
	case r.direct(shape):
		return fault.Unfit("/condition", "does not match the model, which allows "+strings.Join(listed, ", "))
	}
	return fault.Unfit("/subject", "does not match the model, which allows "+strings.Join(listed, ", "))
}

// takes reports whether tuples of the relation may be like this one.
func (r *Relation) takes(t Tuple) bool {
	for _, one := range r.Direct {
		if one.Type == t.Subject.Type && one.Relation == t.Subject.Relation && one.Wildcard == t.Subject.Everybody() && one.Condition == t.Condition {
			return true
		}
	}
	return false
}

// Asked fails with a validation fault unless the model defines the relation and the
// types.
func (m *Model) Asked(of, name string, subject Subject) *fault.Error {
	if _, err := m.Defined(of, name); err != nil {
		return err
	}
	if m.types[subject.Type] == nil {
		return fault.Unfit("/subject", "has a type the model does not define")
	}
	if subject.Userset() && m.Relation(subject.Type, subject.Relation) == nil {
		return fault.Unfit("/subject", "has a relation the model does not define")
	}
	return nil
}

// Defined finds a relation of a type; it fails with a validation fault about the object
// or the relation.
func (m *Model) Defined(of, name string) (*Relation, *fault.Error) {
	t := m.types[of]
	if t == nil {
		return nil, fault.Unfit("/object", "has a type the model does not define")
	}
	if t.relations[name] == nil {
		return nil, fault.Unfit("/relation", "is not defined in the model for the type "+of)
	}
	return t.relations[name], nil
}

// Revision is a count of the changes in a workspace, as callers see it.
type Revision int64

func (r Revision) String() string { return strconv.FormatInt(int64(r), 10) }

// Reached fails with ErrRevision unless a text is a revision up to this one; "" is.
func (r Revision) Reached(text string) error {
	if text == "" {
		return nil
	}
	const decimal, bits = 10, 63
	asked, err := strconv.ParseUint(text, decimal, bits)
	if err != nil || asked > uint64(max(0, r)) || Revision(asked).String() != text {
		return ErrRevision
	}
	return nil
}
