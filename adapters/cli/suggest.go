package cli

import (
	"cmp"
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
	return inbound.Descriptor{}, usagef("unknown command %q%s", name, cmp.Or(spelling.Hint(name, names), ": run gatehouse commands to list all commands"))
}
