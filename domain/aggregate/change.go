package aggregate

import "slices"

// Changes are the names of the fields that an update changed.
type Changes []string

// Note adds the name of a field if it changed.
func (c *Changes) Note(name string, changed bool) {
	if changed {
		*c = append(*c, name)
	}
}

// Put puts a value over a field, unless it is nil or the same, and notes the name of the
// field if that changed it. It reports whether it did.
func Put[T comparable](c *Changes, name string, field, value *T) bool {
	if value == nil || *field == *value {
		return false
	}
	*field = *value
	c.Note(name, true)
	return true
}

// PutList is Put for lists; it keeps a copy.
func PutList[T comparable](c *Changes, name string, field *[]T, value []T) {
	if value == nil || slices.Equal(*field, value) {
		return
	}
	*field = slices.Clone(value)
	c.Note(name, true)
}
