package outbound

import (
	"context"
	"fmt"
)

// Expressions compiles expressions written by administrators, in the Common Expression
// Language (CEL).
type Expressions interface {
	// Compile compiles an expression over variables; this costs about a hundred times
	// as much as an evaluation. It fails with an ExpressionError.
	Compile(source string, over []Variable) (Expression, error)
}

// Expression is a compiled expression. It is safe for concurrent use.
type Expression interface {
	// Evaluate returns the value as JSON. Variables must have the shape that the
	// expression was compiled for; any may be nil. It fails with an ExpressionError if
	// the expression cannot be evaluated for these values. Time and memory are bounded.
	Evaluate(ctx context.Context, values map[string]any) ([]byte, error)
	// Boolean reports whether every value is a boolean, as far as this is known before
	// evaluation.
	Boolean() bool
	// Text reports whether every value is a string, as far as this is known before
	// evaluation.
	Text() bool
	// Reads returns the variables that the expression reads; of objects the fields,
	// such as user.roles.
	Reads() []string
	// Size returns the approximate memory size, in bytes.
	Size() int
}

// Variable is a variable of expressions: an object with known fields, or a plain value.
type Variable struct {
	Name   string
	Fields []VariableField
	// Type is the type of a plain value, "" for an object; Of is the type of the
	// elements of a list or map. A plain value may be absent: an expression that reads
	// it then fails.
	Type, Of VariableType
}

// VariableField is a field of a variable.
type VariableField struct {
	Name string
	Type VariableType
}

// VariableType is the type of a field or plain value, and of its Go value.
type VariableType string

// Types of fields.
const (
	// TextField is a string, FlagField a bool, TextsField a []string, TimeField a
	// time.Time, and AnyField a JSON value in Go (map[string]any, []any, string, …). A
	// field may also be an IntValue.
	TextField  VariableType = "text"
	FlagField  VariableType = "flag"
	TextsField VariableType = "texts"
	TimeField  VariableType = "time"
	AnyField   VariableType = "any"
)

// Types of plain values, in addition to those of fields.
const (
	// IntValue is an int64, UintValue a uint64, DoubleValue a float64, DurationValue a
	// time.Duration, AddressValue a netip.Addr, ListValue a []any, and MapValue a
	// map[string]any.
	IntValue      VariableType = "int"
	UintValue     VariableType = "uint"
	DoubleValue   VariableType = "double"
	DurationValue VariableType = "duration"
	AddressValue  VariableType = "address"
	ListValue     VariableType = "list"
	MapValue      VariableType = "map"
)

// ExpressionError is an error in an expression, with its position.
type ExpressionError struct {
	// Line and Column count from 1; they are 0 if the position is unknown.
	Line, Column int
	Message      string
}

func (e *ExpressionError) Error() string { return e.Message }

// Said returns the message with the position, if it is known.
func (e *ExpressionError) Said() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
