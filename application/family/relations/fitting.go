package relations

import (
	"slices"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/relation"
)

// groups returns those of this service whose members are subjects of tuples.
func groups(tuples []relation.Tuple) []group.ID {
	var ids []group.ID
	for _, t := range tuples {
		if named(t).Native() {
			ids = append(ids, group.ID(t.Subject.ID))
		}
	}
	return ids
}

// named returns the relation that the subject of a tuple names.
func named(t relation.Tuple) relation.Pair {
	return relation.Pair{Object: t.Subject.Object, Relation: t.Subject.Relation}
}

// fitting fails with what keeps tuples from the model, or that a group is none of those
// which the workspace has.
func fitting(m *relation.Model, has []group.ID, tuples []relation.Tuple) error {
	var faults []fault.Field
	for i, t := range tuples {
		refused := fits(m, t)
		if refused == nil && named(t).Native() && !slices.Contains(has, group.ID(t.Subject.ID)) {
			refused = relation.ErrGroup
		}
		if refused != nil {
			faults = under(item("tuples", i), faults, refused)
		}
	}
	if faults != nil {
		return fault.Refuse(faults...)
	}
	return nil
}

func fits(m *relation.Model, t relation.Tuple) *fault.Error {
	if (relation.Pair{Object: t.Object, Relation: t.Relation}).Native() {
		return fault.Unfit("/object", "is a group of the workspace: use GROUP.MEMBER_ADD to add members")
	}
	if refused := m.Fits(t); refused != nil || t.Context == "" {
		return refused
	}
	var context map[string]any
	if err := json.Unmarshal([]byte(t.Context), &context); err != nil {
		return fault.Unfit("/condition/context", "must be an object")
	}
	if err := m.Condition(t.Condition).Fixed(context); err != nil {
		return fault.Unfit("/condition/context", err.Error())
	}
	return nil
}
