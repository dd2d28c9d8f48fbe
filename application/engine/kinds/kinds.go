// Package kinds publishes the event kinds: the schema, an example and the emitting
// commands of each derive from the declarations of the domain and of the commands, so
// that they cannot differ from what is stored.
package kinds

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
)

// version is the version of every kind's content. A change that a consumer must
// know of makes another kind or raises it.
const version = 1

// Catalog contains all event kinds. Descriptions are created on first use.
type Catalog struct {
	sorted   []event.Definition
	byKind   map[event.Kind]event.Definition
	emitters map[event.Kind][]string
}

// Summary is a kind in lists.
type Summary struct {
	Type    event.Kind
	Summary string
	Version int
}

// New gathers kinds and the commands that emit them. It refuses, all at once, kinds
// that are defined twice.
func New(definitions []event.Definition, registry *command.Registry) (*Catalog, error) {
	c := &Catalog{
		sorted:   slices.Clone(definitions),
		byKind:   make(map[event.Kind]event.Definition, len(definitions)),
		emitters: emittersOf(registry),
	}
	slices.SortFunc(c.sorted, func(a, b event.Definition) int { return cmp.Compare(a.Example.Kind(), b.Example.Kind()) })
	var flaws []error
	for _, definition := range c.sorted {
		kind := definition.Example.Kind()
		if _, twice := c.byKind[kind]; twice {
			flaws = append(flaws, fmt.Errorf("the kind %s is defined twice", kind))
		}
		c.byKind[kind] = definition
	}
	return c, errors.Join(flaws...)
}

// Check describes every kind, and fails with all that is wrong with them. It is for a
// test: a kind with such a mistake cannot be published.
func (c *Catalog) Check() error {
	var flaws []error
	for _, definition := range c.sorted {
		if err := check(definition); err != nil {
			flaws = append(flaws, fmt.Errorf("the kind %s: %w", definition.Example.Kind(), err))
		}
	}
	return errors.Join(flaws...)
}

func check(definition event.Definition) error {
	derived := schema.Of(reflect.TypeOf(definition.Example))
	if err := derived.Check(); err != nil {
		return err
	}
	example, err := strictjson.Encode(definition.Example)
	if err != nil {
		return fmt.Errorf("encode the example: %w", err)
	}
	if wrong := derived.Validate(example); wrong != nil {
		return fmt.Errorf("the example breaks the schema at %q, which %s", wrong[0].Path, wrong[0].Message)
	}
	if !strings.HasSuffix(definition.Summary, ".") {
		return fmt.Errorf("the summary is not a sentence: %q", definition.Summary)
	}
	return nil
}

// List returns every kind in the order of the names.
func (c *Catalog) List() []Summary {
	listed := make([]Summary, len(c.sorted))
	for i, definition := range c.sorted {
		listed[i] = Summary{Type: definition.Example.Kind(), Summary: definition.Summary, Version: version}
	}
	return listed
}

// Describe returns the published form of every kind, in the order of the names.
func (c *Catalog) Describe() []inbound.KindDescriptor {
	described := make([]inbound.KindDescriptor, len(c.sorted))
	for i, definition := range c.sorted {
		described[i] = c.describe(definition)
	}
	return described
}

// Find returns the published form of a kind; false when there is none of that name.
func (c *Catalog) Find(kind event.Kind) (inbound.KindDescriptor, bool) {
	definition, ok := c.byKind[kind]
	if !ok {
		return inbound.KindDescriptor{}, false
	}
	return c.describe(definition), true
}

// describe panics when the kind has a mistake that Check finds.
func (c *Catalog) describe(definition event.Definition) inbound.KindDescriptor {
	kind := definition.Example.Kind()
	example, err := strictjson.Encode(definition.Example)
	if err != nil {
		panic(fmt.Errorf("the kind %s: encode the example: %w", kind, err))
	}
	return inbound.KindDescriptor{
		Type: kind, Summary: definition.Summary, Version: version,
		Schema: schema.Of(reflect.TypeOf(definition.Example)).JSON(), Example: example,
		Commands: append([]string{}, c.emitters[kind]...),
	}
}

// emittersOf lists the commands that emit each kind, in the order of their names.
func emittersOf(registry *command.Registry) map[event.Kind][]string {
	emitters := map[event.Kind][]string{}
	for _, d := range registry.All() {
		for _, kind := range d.Emits {
			emitters[kind] = append(emitters[kind], d.Name)
		}
	}
	return emitters
}
