package kinds_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/kinds"
	"gatehouse.internal/application/schema"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/upkeep"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/inbound"
)

// happened is a content of events for these tests.
type happened struct {
	At time.Time `json:"at" doc:"When."`
	By string    `json:"by,omitzero" doc:"Who."`
}

func (happened) Kind() event.Kind        { return "thing.happened" }
func (happened) Concerns() event.Concern { return event.Concern{} }

// silent has no doc tag, so it has no schema.
type silent struct {
	What string `json:"what"`
}

func (silent) Kind() event.Kind        { return "thing.silent" }
func (silent) Concerns() event.Concern { return event.Concern{} }

func emitting(name string, emits ...event.Kind) command.Definition {
	return command.Define(command.Spec[command.None, command.None]{
		Name: name, Summary: "Does something.", Access: access.User(), Effect: command.Writes, Emits: emits,
		Handle: func(context.Context, command.Call, command.None) (command.None, error) { return command.None{}, nil },
	})
}

func registry(t *testing.T, known []event.Definition, definitions ...command.Definition) *command.Registry {
	t.Helper()
	made, err := command.NewRegistry(definitions, known)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	known := []event.Definition{
		{Summary: "Sessions went.", Example: upkeep.Purged{Deleted: map[string]int{"sessions": 1}}},
		{Summary: "It happened.", Example: happened{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
	}
	commands := registry(t, known, emitting("B.TWO", "thing.happened"), emitting("A.ONE", "thing.happened", "system.purged"))
	described, err := kinds.Describe(known, commands)
	if err != nil {
		t.Fatal(err)
	}
	if len(described) != 2 || described[0].Type != "system.purged" || described[1].Type != "thing.happened" {
		t.Fatalf("kinds are not sorted by name: %+v", described)
	}
	got := described[1]
	if got.Summary != "It happened." || got.Version != 1 || string(got.Example) != `{"at":"2026-01-02T03:04:05Z"}` {
		t.Errorf("described as %+v", got)
	}
	if !slices.Equal(got.Commands, []string{"A.ONE", "B.TWO"}) || !slices.Equal(described[0].Commands, []string{"A.ONE"}) {
		t.Errorf("emitted by %v and %v", got.Commands, described[0].Commands)
	}
	var derived struct {
		Schema   string   `json:"$schema"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(got.Schema, &derived); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(derived.Schema, "2020-12") || !slices.Equal(derived.Required, []string{"at"}) {
		t.Errorf("schema %s", got.Schema)
	}
}

func TestKindWithoutCommandHasAnEmptyList(t *testing.T) {
	t.Parallel()
	described, err := kinds.Describe([]event.Definition{{Summary: "It happened.", Example: happened{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}}, registry(t, nil))
	if err != nil || described[0].Commands == nil {
		t.Errorf("%+v, %v", described, err)
	}
}

func TestDescribeRefusesAllFlawsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := kinds.Describe([]event.Definition{
		{Summary: "Once.", Example: happened{}},
		{Summary: "Twice.", Example: happened{}},
		{Summary: "Silent.", Example: silent{}},
	}, registry(t, nil))
	for _, want := range []string{
		"thing.happened is described twice", "thing.silent", "doc tag",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not mention %q: %v", want, err)
		}
	}
}

// TestDomainKinds describes every kind of the domain and holds the published
// examples against the published schemas.
func TestDomainKinds(t *testing.T) {
	t.Parallel()
	known := slices.Concat(
		credential.Events(), login.Events(), policy.Events(), session.Events(), setting.Events(),
		signingkey.Events(), upkeep.Events(), user.Events(), workspace.Events(),
	)
	described, err := kinds.Describe(known, registry(t, known))
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[event.Kind]inbound.KindDescriptor{}
	for _, one := range described {
		byKind[one.Type] = one
	}
	for _, definition := range known {
		kind := definition.Example.Kind()
		derived, err := schema.Of(reflect.TypeOf(definition.Example))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		published := byKind[kind]
		if string(published.Schema) != string(derived.JSON()) {
			t.Errorf("%s: another schema is published", kind)
		}
		if wrong := derived.Validate(published.Example); wrong != nil {
			t.Errorf("%s: the example breaks the schema: %+v", kind, wrong)
		}
		if !strings.HasSuffix(published.Summary, ".") {
			t.Errorf("%s: the summary is not a sentence: %q", kind, published.Summary)
		}
	}
}
