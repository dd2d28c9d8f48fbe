package kinds_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/upkeep"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// happened is a content of events for these tests.
type happened struct {
	At time.Time `json:"at" doc:"When."`
	By string    `json:"by,omitzero" doc:"Who."`
}

func (happened) Kind() event.Kind { return "thing.happened" }

// silent has no doc tag, so it has no schema.
type silent struct {
	What string `json:"what"`
}

func (silent) Kind() event.Kind { return "thing.silent" }

func emitting(name string, emits ...event.Kind) command.Definition {
	return command.Define(command.Spec[command.None, command.None]{
		Name: name, Summary: "Does something.", Access: access.User().Unscoped(), Effect: command.Writes, Emits: emits,
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
	all, err := kinds.New(known, commands)
	if err != nil {
		t.Fatal(err)
	}
	described := all.Describe()
	if len(described) != 2 || described[0].Type != "system.purged" || described[1].Type != "thing.happened" {
		t.Fatalf("kinds are not sorted by name: %+v", described)
	}
	if listed := all.List(); len(listed) != 2 || listed[1] != (kinds.Summary{Type: "thing.happened", Summary: "It happened.", Version: 1}) {
		t.Errorf("listed as %+v", listed)
	}
	if found, ok := all.Find("thing.happened"); !ok || !reflect.DeepEqual(found, described[1]) {
		t.Errorf("found %+v, %t", found, ok)
	}
	if found, ok := all.Find("thing.else"); ok {
		t.Errorf("found %+v", found)
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
	all, err := kinds.New([]event.Definition{{Summary: "It happened.", Example: happened{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}}, registry(t, nil))
	if err != nil || all.Describe()[0].Commands == nil {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestNewRefusesKindsDefinedTwice(t *testing.T) {
	t.Parallel()
	_, err := kinds.New([]event.Definition{
		{Summary: "Once.", Example: happened{}},
		{Summary: "Twice.", Example: happened{}},
	}, registry(t, nil))
	if err == nil || !strings.Contains(err.Error(), "thing.happened is defined twice") {
		t.Errorf("New() = %v", err)
	}
}

// unfit breaks its own schema.
type unfit struct {
	Size int `json:"size" doc:"Size." jsonschema:"minimum=1"`
}

func (unfit) Kind() event.Kind { return "thing.unfit" }

func TestCheckFindsAllFlawsAtOnce(t *testing.T) {
	t.Parallel()
	all, err := kinds.New([]event.Definition{
		{Summary: "Silent.", Example: silent{}},
		{Summary: "Unfit.", Example: unfit{}},
		{Summary: "no sentence", Example: happened{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
	}, registry(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	err = all.Check()
	for _, want := range []string{"thing.silent: ", "doc tag", `thing.unfit: the example breaks the schema at "/size"`, "thing.happened: the summary"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check() = %v, want %q", err, want)
		}
	}
}

func TestCheckOfTheDomain(t *testing.T) {
	t.Parallel()
	known := slices.Concat(credential.Events(), loginevent.Events(), user.Events(), workspace.Events())
	all, err := kinds.New(known, registry(t, known))
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Check(); err != nil {
		t.Error(err)
	}
}
