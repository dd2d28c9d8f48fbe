package cli

import (
	"strings"

	"gatehouse.internal/domain/spelling"
	"gatehouse.internal/ports/inbound"
)

// find returns the descriptor of a command, or a usage error with a suggestion.
func (a *app) find(name string) (inbound.Descriptor, error) {
	var names []string
	for _, known := range a.program.Catalog() {
		if strings.EqualFold(known.Name, name) {
			return known, nil
		}
		names = append(names, known.Name)
	}
	return inbound.Descriptor{}, usagef("there is no command %q%s (see gatehouse commands)", name, spelling.Hint(name, names))
}
