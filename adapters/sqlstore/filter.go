package sqlstore

import (
	"math"
	"strconv"
	"strings"
)

// Filter gathers the conditions of a query; all of them must hold.
type Filter struct {
	Conditions []string
	Args       []any
}

// Where adds a condition with its parameters.
func (f *Filter) Where(condition string, args ...any) {
	f.Conditions = append(f.Conditions, condition)
	f.Args = append(f.Args, args...)
}

// also adds the conditions of another.
func (f *Filter) also(other *Filter) {
	f.Conditions = append(f.Conditions, other.Conditions...)
	f.Args = append(f.Args, other.Args...)
}

// Unless adds a condition except when a field of the query is absent.
func (f *Filter) Unless(absent bool, condition string, args ...any) {
	if !absent {
		f.Where(condition, args...)
	}
}

// String returns the WHERE clause, empty without conditions.
func (f *Filter) String() string {
	if len(f.Conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(f.Conditions, " AND ")
}

// Newest returns the clauses ORDER BY and LIMIT: latest identifiers first, at most limit rows; 0 for all.
func Newest(limit int) string {
	if limit <= 0 {
		return " ORDER BY id DESC"
	}
	return " ORDER BY id DESC LIMIT " + strconv.Itoa(limit)
}

// AtMost returns the parameter of LIMIT; 0 is no limit.
func AtMost(limit int) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	return int64(limit)
}
