package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// An id of another workspace is answered as one of nothing is, to the byte, whoever
// of a workspace asks and whatever they hold in it. Where it is a filter, it finds
// nothing; everywhere else the answer is NOT_FOUND. So it is for a superadmin who names
// nothing.
func TestForeign(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root := h.Superadmin()
		unlimited(root)
		alice, bob := newSetup(t, h, root, "alice"), newSetup(t, h, root, "bob")
		all := access.Permissions{"*"}
		carol := h.SignUp("carol@example.com")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": carol.UserID, "is_superadmin": true}).OK()
		key := func(of *harness.Actor) string {
			return of.Do("API_KEY.CREATE", P{"name": "key", "scopes": all}).OK().String("key")
		}
		callers := []caller{
			{Actor: alice.owner, name: "an owner", kind: access.Person, holds: all},
			{Actor: h.With(key(alice.owner)), name: "a key", kind: access.Key, holds: all},
			{Actor: h.With(key(carol)), name: "a key of a superadmin", kind: access.Key, holds: all},
			{Actor: alice.owner.Machine("machine", all...), name: "a machine", kind: access.App, holds: all},
		}
		super := caller{Actor: root, name: "a superadmin", kind: access.Person, superadmin: true}
		for _, r := range table(t, h) {
			found, _ := h.Engine.Registry.Find(r.Name)
			for _, c := range callers {
				if c.refusal(r, found.Access) == "" {
					alice.reach(c, r, bob)
				}
			}
			if super.refusal(r, found.Access) == "" {
				alice.miss(super, r)
			}
		}
	})
}

// anywhere are parameters that name somebody on the instance, whichever workspace they
// belong to: buyers are strangers to who sells.
func anywhere() map[string][]string {
	return map[string][]string{
		"LICENSE.ISSUE": {"user_id", "owner_org_id"}, "LICENSE.UPDATE": {"user_id", "owner_org_id"},
		"LICENSE.SEAT_ASSIGN":  {"user_id"},
		"FEATURE.OVERRIDE_SET": {"user_id", "org_id"},
	}
}

// reach calls a command with each thing of another workspace that its parameters
// name, in turn.
func (s *setup) reach(c caller, r row, other *setup) {
	s.t.Helper()
	for name, schema := range r.properties {
		known := fixture(name, schema)
		if !identifies(known) || slices.Contains(anywhere()[r.Name], name) {
			continue
		}
		theirs, params, before := other.fitting(schema, known), needed(r, s.params(r)), s.events()
		foreign, nothing := c.Do(r.Name, with(params, name, theirs)), c.Do(r.Name, with(params, name, absent(theirs)))
		if got, want := written(foreign), written(nothing); got != want {
			s.t.Errorf("%s by %s: %s of another workspace is answered by %s, of nothing by %s", r.Name, c.name, name, got, want)
		}
		s.missing(c, r, name, foreign, before)
		if got, want := written(c.Send(r.Name, escaped(s.t, with(params, name, theirs), name))), written(foreign); got != want {
			s.t.Errorf("%s by %s: %s spelled with an escape is answered by %s, else by %s", r.Name, c.name, name, got, want)
		}
	}
}

// escaped returns parameters in JSON with the first letter of one name written as an escape.
func escaped(t *testing.T, params P, name string) []byte {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(raw, []byte(`"`+name), fmt.Appendf(nil, `"\u%04x%s`, name[0], name[1:]), 1)
}

// missing holds an answer to be NOT_FOUND, or that of a filter which finds nothing.
func (s *setup) missing(c caller, r row, name string, answer *harness.Reply, before int) {
	s.t.Helper()
	filter := answer.Failure == nil && !slices.Contains(r.required, name) && s.events() == before
	if !r.public() && !filter && (answer.Failure == nil || answer.Failure.Code != fault.NotFound) {
		s.t.Errorf("%s by %s: what %s does not name for them is answered by %s, want NOT_FOUND", r.Name, c.name, name, written(answer))
	}
}

// miss calls a command with ids of nothing, each in turn.
func (s *setup) miss(c caller, r row) {
	s.t.Helper()
	ids := P{}
	for name, schema := range r.properties {
		if known := fixture(name, schema); identifies(known) {
			ids[name] = absent(r.example[name])
			if r.example[name] == nil && strings.HasSuffix(known, "_") {
				ids[name] = absent(known)
			}
		}
	}
	params := s.params(r, slices.Collect(maps.Keys(ids))...)
	for name := range ids {
		call, before := params, s.events()
		if r.example[name] == nil { // it takes the place of something else
			call = needed(r, params)
		}
		for other, id := range ids {
			if other == name || slices.Contains(r.required, other) {
				call = with(call, other, id)
			}
		}
		s.missing(c, r, name, c.Do(r.Name, call), before)
	}
}

// identifies reports whether a fixture is the id of a thing.
func identifies(known string) bool {
	return strings.HasSuffix(known, "_") || slices.Contains([]string{"app_id", "jti"}, known)
}

// needed are the parameters of a call that must be there.
func needed(r row, params P) P {
	kept := maps.Clone(params)
	maps.DeleteFunc(kept, func(name string, _ any) bool { return !slices.Contains(r.required, name) })
	return kept
}

// events is how many events are stored.
func (s *setup) events() (count int) {
	s.t.Helper()
	if err := s.Store.Database().Read.GetContext(s.t.Context(), &count, `SELECT count(*) FROM events`); err != nil {
		s.t.Fatal(err)
	}
	return count
}

// written is an answer as its caller reads it.
func written(r *harness.Reply) string {
	text, _ := json.Marshal([]any{r.Data, r.Failure})
	return string(text)
}
