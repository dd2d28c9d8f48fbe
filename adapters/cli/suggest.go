package cli

import (
	"strings"

	"gatehouse.internal/domain/spelling"
	"gatehouse.internal/ports/inbound"
)

// find returns the descriptor of a command, or a usage error with a suggestion.
func (a *app) find(name string) (inbound.Descriptor, error) {
	if known, is := a.program.Describe(strings.ToUpper(name)); is {
		return known, nil
	}
	var names []string
	for _, known := range a.program.Catalog() {
		names = append(names, known.Name)
	}
	return inbound.Descriptor{}, usagef("there is no command %q%s (see gatehouse commands)", name, spelling.Hint(name, names))
}
