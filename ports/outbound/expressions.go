package outbound

import "context"

// Expressions compiles the expressions that administrators write (CEL, the Common
// Expression Language).
type Expressions interface {
	// Compile reads an expression over variables. It fails with an ExpressionError.
	Compile(source string, over []Variable) (Expression, error)
}

// Expression is a compiled expression. It is safe for concurrent use.
type Expression interface {
	// Evaluate gives the value as JSON. What the expression reads must have the shape
	// it was compiled over; any variable may be nil. It fails with an ExpressionError
	// when the expression does not work for these values, and never costs more than
	// a bounded amount of time and memory.
	Evaluate(ctx context.Context, values map[string]any) ([]byte, error)
}

// Variable is a variable of expressions: an object with known fields.
type Variable struct {
	Name   string
	Fields []VariableField
}

// VariableField is a field of a variable.
type VariableField struct {
	Name string
	Type VariableType
}

// VariableType is the type of a field, and of the Go value it is read from.
type VariableType string

// The types of fields.
const (
	// TextField is a string, FlagField a bool, TextsField a []string, TimeField a
	// time.Time, AnyField JSON as Go has it: map[string]any, []any, string, …
	TextField  VariableType = "text"
	FlagField  VariableType = "flag"
	TextsField VariableType = "texts"
	TimeField  VariableType = "time"
	AnyField   VariableType = "any"
)

// ExpressionError says what is wrong with an expression, and where.
type ExpressionError struct {
	// Line and Column count from 1; they are 0 where the place is not known.
	Line, Column int
	Message      string
}

func (e *ExpressionError) Error() string { return e.Message }
