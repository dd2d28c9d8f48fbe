package cli

import (
	"fmt"
	"strings"

	"gatehouse.internal/ports/inbound"
)

// find gives the descriptor of a command, or a usage error that suggests one.
func (a *app) find(name string) (inbound.Descriptor, error) {
	var names []string
	for _, known := range a.program.Catalog() {
		if known.Name == name {
			return known, nil
		}
		names = append(names, known.Name)
	}
	return inbound.Descriptor{}, usagef("there is no command %q%s (see gatehouse commands)", name, didYouMean(name, names))
}

// didYouMean suggests the name that is nearest to what was typed, when one is
// near. Case does not count.
func didYouMean(typed string, names []string) string {
	const most = 3
	best, nearest := "", min(most, max(1, len(typed)/2))+1
	for _, name := range names {
		if far := distance(strings.ToUpper(typed), strings.ToUpper(name)); far < nearest {
			best, nearest = name, far
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// distance is how many characters must be put in, taken out or changed to make
// one text of the other (Levenshtein).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(to)]
}
