// Package kinds describes the kinds of events for everybody outside: the
// schema, an example and the commands that emit each derive from the domain's
// own declarations and from those of the commands, so that nothing published
// can differ from what is stored.
package kinds

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/schema"
	"gatehouse.internal/application/strictjson"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
)

// version is the version of every kind's content. A change that a consumer must
// know of makes another kind or raises it.
const version = 1

// Describe gives the published form of every kind, in the order of the names.
// It refuses, all at once, kinds that are described twice or that have no schema.
func Describe(definitions []event.Definition, registry *command.Registry) ([]inbound.KindDescriptor, error) {
	emitters := emittersOf(registry)
	described := make([]inbound.KindDescriptor, 0, len(definitions))
	known := map[event.Kind]bool{}
	var flaws []error
	for _, definition := range definitions {
		kind := definition.Example.Kind()
		if known[kind] {
			flaws = append(flaws, fmt.Errorf("the kind %s is described twice", kind))
		}
		known[kind] = true
		one, err := describe(definition)
		if err != nil {
			flaws = append(flaws, fmt.Errorf("describe the kind %s: %w", kind, err))
		}
		one.Commands = append([]string{}, emitters[kind]...)
		described = append(described, one)
	}
	slices.SortFunc(described, func(a, b inbound.KindDescriptor) int { return cmp.Compare(a.Type, b.Type) })
	return described, errors.Join(flaws...)
}

func describe(definition event.Definition) (inbound.KindDescriptor, error) {
	one := inbound.KindDescriptor{Type: definition.Example.Kind(), Summary: definition.Summary, Version: version}
	derived, err := schema.Published(reflect.TypeOf(definition.Example))
	if err != nil {
		return one, err
	}
	example, err := strictjson.Encode(definition.Example)
	if err != nil {
		return one, fmt.Errorf("encode the example: %w", err)
	}
	one.Schema, one.Example = derived.JSON(), example
	return one, nil
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
