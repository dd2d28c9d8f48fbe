package feature

import (
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// MostFeatures is how many features a workspace may have.
const MostFeatures = 1000

// maxDescription bounds a description, in characters.
const maxDescription = 500

// Errors of features.
var (
	ErrNotFound     = fault.New(fault.NotFound, "no such feature")
	ErrNoOverride   = fault.New(fault.NotFound, "no such override")
	ErrTaken        = fault.Unfit("/key", "is already the key of another feature in this workspace")
	ErrTooMany      = fault.LimitReached("feature", MostFeatures, "delete unused features")
	ErrTooManyRules = fault.Unfit("/rules", "would exceed the workspace's limit of 2,000 rules across all features: delete unused rules")
	ErrPast         = fault.Unfit("/expires_at", "must be in the future")
)

// Type is the type of a feature's values.
type Type string

// The types of features.
const (
	Bool Type = "bool"
	Int  Type = "int"
	Text Type = "string"
)

// SchemaFragment describes the type in a JSON Schema.
func (Type) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Bool), string(Int), string(Text)}}
}

// said returns the name of the type in messages.
func (t Type) said() string {
	switch t {
	case Bool:
		return "true or false"
	case Int:
		return "a whole number"
	default:
		return "a string"
	}
}

// Snapshot is the stored state of a feature.
type Snapshot struct {
	OrgID workspace.ID
	Key   Key  `audit:"id"`
	Type  Type `audit:"type"`
	// Default is the value if nothing else decides.
	Default Value `audit:"default"`
	// Rules decide in their order.
	Rules []Rule `audit:"rules"`
	// Enabled features are decided; of others everybody has the default.
	Enabled              bool   `audit:"enabled"`
	Description          string `audit:"description"`
	CreatedAt, UpdatedAt time.Time
}

// Feature is one feature.
type Feature struct {
	aggregate.Root
	s Snapshot
}

// Define makes a feature. It fails with a validation fault that names all that is wrong.
func Define(s Snapshot, now time.Time) (*Feature, error) {
	s.Enabled, s.CreatedAt, s.UpdatedAt = true, now, now
	if err := s.check(); err != nil {
		return nil, err
	}
	f := &Feature{s: s}
	f.Track(&f.s)
	f.Raise(Created{OrgID: s.OrgID, Key: s.Key, Type: s.Type})
	return f, nil
}

// check fails where the values are of another type than the feature.
func (s Snapshot) check() error {
	wrong := checkRules(s.Type, s.Rules)
	if s.Default.Type() != s.Type {
		wrong = append(wrong, fault.Field{Path: "/default", Message: "must be " + s.Type.said()})
	}
	if utf8.RuneCountInString(s.Description) > maxDescription {
		wrong = append(wrong, fault.Field{Path: "/description", Message: "must have at most 500 characters"})
	}
	if wrong == nil {
		return nil
	}
	return fault.Refuse(wrong...)
}

// Restore returns the feature that was stored.
func Restore(s Snapshot, version int64) *Feature {
	f := &Feature{Root: aggregate.At(version), s: s}
	f.Track(&f.s)
	return f
}

// Snapshot returns the state to store.
func (f *Feature) Snapshot() Snapshot { return f.s }

// Change is a partial update of a feature; nil fields, and a zero Value, stay
// unchanged.
type Change struct {
	Default Value
	// Rules take the place of those before.
	Rules       []Rule
	Enabled     *bool
	Description *string
}

// Update changes the feature. It fails like Define, and changes nothing then. What stays
// the same raises nothing.
func (f *Feature) Update(c Change, now time.Time) error {
	next := f.s
	var changed aggregate.Changes
	if !c.Default.IsZero() {
		aggregate.Put(&changed, "default", &next.Default, &c.Default)
	}
	if c.Rules != nil && !slices.EqualFunc(c.Rules, next.Rules, func(a, b Rule) bool { return reflect.DeepEqual(a, b) }) {
		next.Rules = c.Rules
		changed = append(changed, "rules")
	}
	aggregate.Put(&changed, "enabled", &next.Enabled, c.Enabled)
	aggregate.Put(&changed, "description", &next.Description, c.Description)
	if changed == nil {
		return nil
	}
	if err := next.check(); err != nil {
		return err
	}
	next.UpdatedAt = now
	f.s = next
	f.Raise(Updated{OrgID: f.s.OrgID, Key: f.s.Key, Changed: changed})
	return nil
}

// Delete ends the feature. It is for the store to remove it with its overrides.
func (f *Feature) Delete() { f.Raise(Deleted{OrgID: f.s.OrgID, Key: f.s.Key}) }

// Override returns an override of the feature for a person or workspace. It fails if
// the value has another type, and with ErrPast.
func (f *Feature) Override(whose Target, value Value, until, now time.Time) (Override, error) {
	if err := whose.Check(); err != nil {
		return Override{}, err
	}
	if value.Type() != f.s.Type {
		return Override{}, fault.Unfit("/value", "must be "+f.s.Type.said())
	}
	if !until.IsZero() && !until.After(now) {
		return Override{}, ErrPast
	}
	return Override{OrgID: f.s.OrgID, Key: f.s.Key, Whose: whose, Value: value, ExpiresAt: until, SetAt: now}, nil
}
