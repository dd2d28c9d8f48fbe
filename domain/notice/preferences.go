package notice

import (
	"maps"
	"slices"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// vitalOff is the error of declining a vital notice.
const vitalOff = "is a vital notice, which is always emailed"

// PreferenceChanges report by kind whether notices are mailed; null resets to the default, which
// is that they are.
type PreferenceChanges map[Kind]*bool

// SchemaFragment describes the wishes in a JSON Schema.
func (PreferenceChanges) SchemaFragment() map[string]any {
	properties := map[string]any{}
	for _, one := range All() {
		properties[string(one.Kind)] = map[string]any{"type": []any{"boolean", "null"}, "description": one.Headline + "."}
	}
	return map[string]any{
		"type": "object", "minProperties": 1, "additionalProperties": false,
		"properties": properties, "examples": []any{map[string]any{string(NewDevice): false}},
	}
}

// MailedKinds are the kinds of notices with whether they come by mail.
type MailedKinds map[Kind]bool

// SchemaFragment describes them in a JSON Schema.
func (MailedKinds) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": map[string]any{"type": "boolean"},
		"examples": []any{map[string]any{string(PasswordChanged): true, string(NewDevice): false}},
	}
}

// PreferencesSnapshot is the stored state.
type PreferencesSnapshot struct {
	UserID user.ID
	// Mail are the choices of the person, by kind.
	Mail map[Kind]bool
}

// Preferences are which notices a person receives by mail.
type Preferences struct {
	aggregate.Root
	s PreferencesSnapshot
}

// NoPreferences returns the default preferences.
func NoPreferences(owner user.ID) *Preferences {
	return &Preferences{s: PreferencesSnapshot{UserID: owner}}
}

// RestorePreferences returns the preferences that were stored.
func RestorePreferences(s PreferencesSnapshot, version int64) *Preferences {
	return &Preferences{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (p *Preferences) Snapshot() PreferencesSnapshot { return p.s }

// Mails reports whether a kind of notice comes by mail.
func (p *Preferences) Mails(of Definition) bool {
	chosen, chose := p.s.Mail[of.Kind]
	return of.Vital || !chose || chosen
}

// Show returns all kinds.
func (p *Preferences) Show() MailedKinds {
	shown := MailedKinds{}
	for _, one := range All() {
		shown[one.Kind] = p.Mails(one)
	}
	return shown
}

// Set changes preferences. It fails with a validation fault that names each unknown
// kind, and each vital one that is declined.
func (p *Preferences) Set(wishes PreferenceChanges) error {
	var complaints []fault.Field
	for _, kind := range slices.Sorted(maps.Keys(wishes)) {
		place := "/preferences" + fault.Pointer(string(kind))
		switch of, known := Find(kind); {
		case !known:
			complaints = append(complaints, fault.Field{Path: place, Message: "is not a kind of notice"})
		case of.Vital && wishes[kind] != nil && !*wishes[kind]:
			complaints = append(complaints, fault.Field{Path: place, Message: vitalOff})
		}
	}
	if len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	p.apply(wishes)
	return nil
}

func (p *Preferences) apply(wishes PreferenceChanges) {
	chosen, changed := map[Kind]bool{}, []Kind{}
	maps.Copy(chosen, p.s.Mail)
	for _, kind := range slices.Sorted(maps.Keys(wishes)) {
		wish := wishes[kind]
		if of, _ := Find(kind); of.Vital {
			continue
		}
		before, chose := chosen[kind]
		delete(chosen, kind)
		if wish != nil {
			chosen[kind] = *wish
		}
		if chose != (wish != nil) || (chose && before != *wish) {
			changed = append(changed, kind)
		}
	}
	if len(changed) == 0 {
		return
	}
	p.s.Mail = chosen
	p.Raise(PreferenceSet{UserID: p.s.UserID, Changed: changed})
}

// KindPreferenceSet is the kind of PreferenceSet.
const KindPreferenceSet event.Kind = "notification_preference.set"

// PreferenceSet is the content of notification_preference.set.
type PreferenceSet struct {
	UserID  user.ID `json:"user_id" doc:"ID of the user."`
	Changed []Kind  `json:"changed" doc:"Kinds of notices whose email setting was enabled, disabled or reset."`
}

// Kind is notification_preference.set.
func (PreferenceSet) Kind() event.Kind { return KindPreferenceSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "A user changed which notices are emailed.",
		Example: PreferenceSet{UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Changed: []Kind{NewDevice}},
	}}
}
