package aggregate

// Changes are the names of the fields that an update changed.
type Changes []string

// Put puts a value over a field, unless it is nil or the same, and notes the name of the
// field if that changed it.
func Put[T comparable](c *Changes, name string, field, value *T) {
	if value == nil || *field == *value {
		return
	}
	*field = *value
	*c = append(*c, name)
}
