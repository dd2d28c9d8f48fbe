package sqlstore

import (
	"strconv"
	"strings"
)

// filter gathers the conditions of a query; all of them must hold.
type filter struct {
	conditions []string
	args       []any
}

// where adds a condition with its parameters.
func (f *filter) where(condition string, args ...any) {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
}

// also adds the conditions of another.
func (f *filter) also(other *filter) {
	f.conditions = append(f.conditions, other.conditions...)
	f.args = append(f.args, other.args...)
}

// unless adds a condition except when a field of the query is absent.
func (f *filter) unless(absent bool, condition string, args ...any) {
	if !absent {
		f.where(condition, args...)
	}
}

// String is the WHERE clause, empty without conditions.
func (f *filter) String() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(f.conditions, " AND ")
}

// newest gives the clauses that follow a WHERE: newest identifiers first, and at
// most so many rows; 0 is all.
func newest(limit int) string {
	if limit <= 0 {
		return " ORDER BY id DESC"
	}
	return " ORDER BY id DESC LIMIT " + strconv.Itoa(limit)
}
