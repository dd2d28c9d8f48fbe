package feature

// Source is what decided about a feature.
type Source string

// The sources, in the order in which they decide.
const (
	FromOverride     Source = "override"
	FromLicence      Source = "licence"
	FromSubscription Source = "subscription"
	FromRule         Source = "rule"
	FromDefault      Source = "default"
)

// Subject is whom rollouts count: the names of a person and of a workspace, "" for none.
type Subject struct{ User, Org string }

// Owned are values by their features.
type Owned map[Key]Value

// Add adds what one more licence or subscription gives: of several values true, the
// greatest number or the first text stays.
func (o Owned) Add(given Values) {
	for key, read := range given {
		value := Of(read)
		before, there := o[Key(key)]
		if !there || before.Type() == value.Type() && value.exceeds(before) {
			o[Key(key)] = value
		}
	}
}

// Holdings is what is stored of somebody, beside the rules.
type Holdings struct {
	// Person and Workspace are what is pinned for them.
	Person, Workspace Owned
	// Licences and Subscriptions are what they own.
	Licences, Subscriptions Owned
}

// Decision is what somebody has of a feature, and why.
type Decision struct {
	Value  Value  `json:"value" doc:"What they have of it."`
	Source Source `json:"source" doc:"What decided: the first of the list that says anything." jsonschema:"enum=override,enum=licence,enum=subscription,enum=rule,enum=default"`
}

// Decide returns what somebody has of the feature: by an override of the person, then of
// the workspace, by a licence, a subscription, the first rule that holds, or the default.
// holds reports whether the condition of a rule does, by its index. A value of another
// type than the feature decides nothing.
func (s Snapshot) Decide(held Holdings, who Subject, holds func(rule int) (bool, error)) (Decision, error) {
	fallback := Decision{s.Default, FromDefault}
	if !s.Enabled {
		return fallback, nil
	}
	for _, from := range [...]struct {
		owned  Owned
		source Source
	}{
		{held.Person, FromOverride}, {held.Workspace, FromOverride}, {held.Licences, FromLicence}, {held.Subscriptions, FromSubscription},
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

// Undefined returns what somebody owns of a feature that the workspace never defined.
func (h Holdings) Undefined(key Key) (Decision, bool) {
	if value, there := h.Licences[key]; there {
		return Decision{value, FromLicence}, true
	}
	value, there := h.Subscriptions[key]
	return Decision{value, FromSubscription}, there
}
