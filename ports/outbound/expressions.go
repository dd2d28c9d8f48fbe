package outbound

import (
	"context"
	"fmt"
)

// Expressions compiles the expressions that administrators write (CEL, the Common
// Expression Language).
type Expressions interface {
	// Compile reads an expression over variables, which costs a hundred times what it
	// costs to evaluate it. It fails with an ExpressionError.
	Compile(source string, over []Variable) (Expression, error)
}

// Expression is a compiled expression. It is safe for concurrent use.
type Expression interface {
	// Evaluate returns the value as JSON. What the expression reads must have the shape
	// it was compiled over; any variable may be nil. It fails with an ExpressionError
	// when the expression does not work for these values, and never costs more than
	// a bounded amount of time and memory.
	Evaluate(ctx context.Context, values map[string]any) ([]byte, error)
	// Boolean reports whether the value is true or false wherever there is one, as far as
	// that is known before the expression runs.
	Boolean() bool
	// Text reports whether the value is a text wherever there is one, likewise.
	Text() bool
	// Reads lists the variables that it reads, and of objects the fields: user.roles.
	Reads() []string
	// Size returns about how many bytes of memory it holds.
	Size() int
}

// Variable is a variable of expressions: an object with known fields, or a plain value.
type Variable struct {
	Name   string
	Fields []VariableField
	// Type is that of a plain value, "" for an object; Of is the type of the elements of
	// a list or a map. A plain value may be absent: what reads it then fails.
	Type, Of VariableType
}

// VariableField is a field of a variable.
type VariableField struct {
	Name string
	Type VariableType
}

// VariableType is the type of a field or of a plain value, and of the Go value that it is
// read from.
type VariableType string

// The types of fields.
const (
	// TextField is a string, FlagField a bool, TextsField a []string, TimeField a
	// time.Time, AnyField JSON as Go has it: map[string]any, []any, string, … A field may
	// be an IntValue, too.
	TextField  VariableType = "text"
	FlagField  VariableType = "flag"
	TextsField VariableType = "texts"
	TimeField  VariableType = "time"
	AnyField   VariableType = "any"
)

// The types of plain values, beside those of fields.
const (
	// IntValue is an int64, UintValue a uint64, DoubleValue a float64, DurationValue a
	// time.Duration, AddressValue a netip.Addr, ListValue a []any, MapValue a
	// map[string]any.
	IntValue      VariableType = "int"
	UintValue     VariableType = "uint"
	DoubleValue   VariableType = "double"
	DurationValue VariableType = "duration"
	AddressValue  VariableType = "address"
	ListValue     VariableType = "list"
	MapValue      VariableType = "map"
)

// ExpressionError says what is wrong with an expression, and where.
type ExpressionError struct {
	// Line and Column count from 1; they are 0 where the place is not known.
	Line, Column int
	Message      string
}

func (e *ExpressionError) Error() string { return e.Message }

// Said returns the message with the place, where that is known.
func (e *ExpressionError) Said() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
