package kinds

import (
	"strconv"
	"strings"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/spelling"
)

// All matches every kind and, after a resource and a period, every kind of the
// resource.
const All = "*"

// Expand returns the kinds that match patterns; all for nil. It fails for an unknown
// pattern, and suggests the nearest. The path is the JSON Pointer of the list.
func (c *Catalog) Expand(path string, patterns []event.Kind) ([]event.Kind, error) {
	var found []event.Kind
	everything := len(patterns) == 0
	for i, pattern := range patterns {
		everything = everything || pattern == All
		matched := c.matching(pattern)
		if len(matched) == 0 && pattern != All {
			return nil, fault.Unfit(path+"/"+strconv.Itoa(i), "is not a known event type"+c.hint(pattern))
		}
		found = append(found, matched...)
	}
	if everything {
		return nil, nil
	}
	return found, nil
}

// Matches reports whether a kind matches one of the patterns.
func Matches(patterns []event.Kind, kind event.Kind) bool {
	for _, pattern := range patterns {
		if pattern == All || pattern == kind || pattern == resource(kind)+"."+All {
			return true
		}
	}
	return false
}

func resource(kind event.Kind) event.Kind {
	name, _, _ := strings.Cut(string(kind), ".")
	return event.Kind(name)
}

func (c *Catalog) matching(pattern event.Kind) (found []event.Kind) {
	for _, definition := range c.sorted {
		if kind := definition.Example.Kind(); Matches([]event.Kind{pattern}, kind) {
			found = append(found, kind)
		}
	}
	return found
}

// hint suggests a pattern similar to an unknown one.
func (c *Catalog) hint(pattern event.Kind) string {
	var names []string
	for _, definition := range c.sorted {
		kind := definition.Example.Kind()
		names = append(names, string(kind), string(resource(kind))+"."+All)
	}
	if hint := spelling.Hint(string(pattern), names); hint != "" {
		return hint
	}
	return ": list event types with EVENT.KIND_LIST"
}
