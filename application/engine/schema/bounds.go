package schema

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gatehouse.internal/domain/fault"
)

// CheckBounds fails if a schema contains a list without a maximum length. Parameters must
// not, because a caller could make them arbitrarily expensive.
func (s *Schema) CheckBounds() error {
	root, err := s.root()
	if err != nil {
		return s.mistake(err)
	}
	return root.checkBounds(nil)
}

func (n *node) checkBounds(at []string) error {
	if n == nil {
		return nil
	}
	if n.form == list && n.most == math.MaxInt64 {
		return fmt.Errorf("the list %q has no bound: add maxItems=… to its jsonschema tag", fault.Pointer(at...))
	}
	flaws := []error{n.items.checkBounds(append(at[:len(at):len(at)], "*")), n.rest.checkBounds(append(at[:len(at):len(at)], "*"))}
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		flaws = append(flaws, n.properties[name].checkBounds(append(at[:len(at):len(at)], name)))
	}
	return errors.Join(flaws...)
}
