package feature

// Source is the source of a decision.
type Source string

// The sources, in the order in which they decide.
const (
	FromOverride     Source = "override"
	FromLicense      Source = "license"
	FromSubscription Source = "subscription"
	FromRule         Source = "rule"
	FromDefault      Source = "default"
)

// Subject are the names of a person and of a workspace for rollouts; "" for none.
type Subject struct{ User, Org string }

// OwnedValues are values by their features.
type OwnedValues map[Key]Value

// Add merges the features of another license or subscription: of several values, true,
// the greatest number or the first text is kept.
func (o OwnedValues) Add(given Values) {
	for key, read := range given {
		value := Of(read)
		before, there := o[Key(key)]
		if !there || before.Type() == value.Type() && value.exceeds(before) {
			o[Key(key)] = value
		}
	}
}

// Holdings are the stored inputs of decisions about a person or workspace, except the
// rules.
type Holdings struct {
	// Person and Workspace are the overrides for them.
	Person, Workspace OwnedValues
	// Licenses and Subscriptions are the features they own.
	Licenses, Subscriptions OwnedValues
}

// Decision is the value of a feature, and its source.
type Decision struct {
	Value  Value  `json:"value" doc:"Value of the feature."`
	Source Source `json:"source" doc:"Source of the value: the first one that has a value, in the order of this list." jsonschema:"enum=override,enum=license,enum=subscription,enum=rule,enum=default"`
}

// Decide returns the value of the feature: of an override for the person, else for the
// workspace, of a license, of a subscription, of the first matching rule, or the
// default. holds evaluates the condition of a rule, by its index. Values of another
// type than the feature's are ignored.
func (s Snapshot) Decide(held Holdings, who Subject, holds func(rule int) (bool, error)) (Decision, error) {
	fallback := Decision{s.Default, FromDefault}
	if !s.Enabled {
		return fallback, nil
	}
	for _, from := range [...]struct {
		owned  OwnedValues
		source Source
	}{
		{held.Person, FromOverride}, {held.Workspace, FromOverride}, {held.Licenses, FromLicense}, {held.Subscriptions, FromSubscription},
	} {
		if value, there := from.owned[s.Key]; there && value.Type() == s.Type {
			return Decision{value, from.source}, nil
		}
	}
	for i, r := range s.Rules {
		if r.Rollout != nil && !r.Rollout.takes(s.Key, who) {
			continue
		}
		met, err := holds(i)
		if err != nil {
			return Decision{}, err
		}
		if met {
			return Decision{r.gives(), FromRule}, nil
		}
	}
	return fallback, nil
}

// Undefined returns the owned value of a feature that the workspace does not define.
func (h Holdings) Undefined(key Key) (Decision, bool) {
	if value, there := h.Licenses[key]; there {
		return Decision{value, FromLicense}, true
	}
	value, there := h.Subscriptions[key]
	return Decision{value, FromSubscription}, there
}
