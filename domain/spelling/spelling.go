// Package spelling suggests the intended name for a misspelled one.
package spelling

import "strings"

// most is the maximum edit distance of a suggestion.
const most = 3

// longest is the maximum length of a misspelled name, in bytes.
const longest = 128

// Nearest returns the name with the smallest edit distance to typed: at most three
// insertions, deletions or substitutions, and at most half of the characters. Case is
// ignored. Among equally near names, the first is returned.
func Nearest(typed string, names []string) (string, bool) {
	if len(typed) > longest {
		return "", false
	}
	from := []rune(strings.ToUpper(typed))
	best, nearest := "", min(most, max(1, len(from)/2))+1
	for _, name := range names {
		if far := distance(from, []rune(strings.ToUpper(name)), nearest); far < nearest {
			best, nearest = name, far
		}
	}
	return best, best != ""
}

// Hint returns "; did you mean <name>?" for the nearest name, or "".
func Hint(typed string, names []string) string {
	if name, near := Nearest(typed, names); near {
		return "; did you mean " + name + "?"
	}
	return ""
}

// distance is how many characters must be put in, taken out or changed to make one
// text of the other (Levenshtein), or enough where it is no less than that.
func distance(from, to []rune, enough int) int {
	if len(from)-len(to) >= enough || len(to)-len(from) >= enough {
		return enough
	}
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j, y := range to {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
			least = min(least, row[j+1])
		}
		if least >= enough {
			return enough
		}
	}
	return row[len(to)]
}
