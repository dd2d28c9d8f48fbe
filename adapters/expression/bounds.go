package expression

import (
	"fmt"
	"maps"
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"

	"gatehouse.internal/ports/outbound"
)

// maxLoops limits the loops of an expression, and maxType the size of the types of its
// values: the type checker copies types at each step, so that its time grows with the
// number of loops and the square of that size. A scalar counts 1, a list 1 more than its
// elements, and a map 1 more than its keys and values together.
const (
	maxLoops = 16
	maxType  = 32
)

// bounded fails with an ExpressionError unless checking the types of a parsed expression is
// cheap.
func bounded(parsed ast.Expr) error {
	m := measure{}
	m.count(parsed)
	if m.loops > maxLoops {
		return &outbound.ExpressionError{Message: fmt.Sprintf("the expression has %d loops (map, filter, all, exists, exists_one): use at most %d", m.loops, maxLoops)}
	}
	m.unknown = scalar
	for literal := largestLiteral(parsed); m.empty > 0; m.empty-- {
		m.unknown = limited(m.unknown * literal)
	}
	if m.of(parsed, scope{}); m.largest > maxType {
		return &outbound.ExpressionError{Message: "lists and maps are nested too deep, including those built by loops"}
	}
	return nil
}

// Sizes of types: of values that hold no others, and at most of variables, their fields, and
// what functions return: lists or maps of scalars.
const (
	scalar   = 1
	declared = 3
)

// limited keeps sizes from overflowing.
func limited(size int) int { return min(size, maxType+1) }

// element returns the size of the type of an element.
func element(of int) int { return max(of-1, scalar) }

// scope is the sizes of the types of the variables of the loops around an expression.
type scope map[string]int

// with adds a variable.
func (s scope) with(name string, of int) scope {
	inner := maps.Clone(s)
	inner[name] = of
	return inner
}

// measure measures an expression.
type measure struct {
	// loops counts its loops, and empty the unknown types of elements in what they go over:
	// one of an empty list, two of an empty map.
	loops, empty int
	// unknown is the size of such a type. The checker makes it what the use of a variable
	// asks for: that of a literal, which may hold elements of another empty one.
	unknown int
	// largest is the size of the largest type.
	largest int
	// ranges is how many loops go over the part that is being counted or measured.
	ranges int
}

// count counts loops, and the empty lists and maps that they go over.
func (m *measure) count(e ast.Expr) {
	parts := children(e)
	switch e.Kind() {
	case ast.ListKind:
		m.hollow(parts, 1)
	case ast.MapKind:
		m.hollow(parts, 2) //nolint:mnd // keys and values
	case ast.ComprehensionKind:
		m.loops++
		m.inRange(func() { m.count(e.AsComprehension().IterRange()) })
		parts = steps(e.AsComprehension())
	default:
	}
	for _, part := range parts {
		m.count(part)
	}
}

// hollow counts a list or map of which a loop goes over so many kinds of elements, if it is
// empty.
func (m *measure) hollow(parts []ast.Expr, kinds int) {
	if len(parts) == 0 && m.ranges > 0 {
		m.empty += kinds
	}
}

func (m *measure) inRange(do func()) {
	m.ranges++
	defer func() { m.ranges-- }()
	do()
}

// steps returns the parts of a loop that are neither its range nor what it begins with.
func steps(c ast.ComprehensionExpr) []ast.Expr {
	return []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()}
}

// largestLiteral returns the size of the type of the largest list or map that stands in an
// expression, whatever stands between its parts.
func largestLiteral(e ast.Expr) int {
	parts := children(e)
	sizes := make([]int, len(parts))
	for i, part := range parts {
		sizes[i] = largestLiteral(part)
	}
	switch e.Kind() {
	case ast.ListKind:
		return limited(1 + largest(sizes))
	case ast.MapKind:
		keys, values := halves(sizes)
		return limited(1 + largest(keys) + largest(values))
	default:
		return largest(sizes)
	}
}

// largest returns the largest of sizes, or that of a scalar.
func largest(sizes []int) int { return slices.Max(append(sizes, scalar)) }

// halves parts keys from values.
func halves[T any](entries []T) (keys, values []T) {
	for i := 0; i < len(entries); i += 2 {
		keys, values = append(keys, entries[i]), append(values, entries[i+1])
	}
	return keys, values
}

// of returns the size of the type of an expression.
func (m *measure) of(e ast.Expr, in scope) int {
	size := limited(m.measured(e, in))
	m.largest = max(m.largest, size)
	return size
}

func (m *measure) measured(e ast.Expr, in scope) int {
	parts := children(e)
	switch e.Kind() {
	case ast.LiteralKind:
		return scalar
	case ast.IdentKind:
		if bound, is := in[e.AsIdent()]; is {
			return bound
		}
		return declared
	case ast.SelectKind:
		return max(element(m.all(parts, in)), declared)
	case ast.CallKind:
		return m.call(e.AsCall().FunctionName(), m.all(parts, in))
	case ast.ListKind:
		return 1 + m.elements(parts, in)
	case ast.MapKind:
		keys, values := halves(parts)
		return 1 + m.elements(keys, in) + m.elements(values, in)
	case ast.ComprehensionKind:
		return m.loop(e.AsComprehension(), in)
	default:
		m.all(parts, in)
		return declared
	}
}

func (m *measure) all(parts []ast.Expr, in scope) int {
	size := scalar
	for _, part := range parts {
		size = max(size, m.of(part, in))
	}
	return size
}

// elements returns the size of the type of the elements of a literal.
func (m *measure) elements(parts []ast.Expr, in scope) int {
	if len(parts) == 0 && m.ranges > 0 {
		return m.unknown
	}
	return m.all(parts, in)
}

// call returns the size of the type of a call: functions return what they take, an element
// of it, or a list of scalars, but type returns the type of its argument.
func (m *measure) call(function string, args int) int {
	if function == overloads.TypeConvertType {
		return 1 + args
	}
	return max(args, declared)
}

// loop returns the size of the type of a comprehension.
func (m *measure) loop(c ast.ComprehensionExpr, in scope) int {
	var over int
	m.inRange(func() { over = m.of(c.IterRange(), in) })
	within := in.with(c.IterVar(), element(over)).with(c.IterVar2(), element(over))
	gathered := scalar
	for _, part := range []ast.Expr{c.LoopCondition(), c.LoopStep()} {
		gathered = max(gathered, m.of(part, within.with(c.AccuVar(), gathered)))
	}
	return m.of(c.Result(), in.with(c.AccuVar(), gathered))
}

// children returns the expressions that an expression consists of.
func children(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var parts []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			parts = append(parts, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return parts
	case ast.StructKind:
		var parts []ast.Expr
		for _, field := range e.AsStruct().Fields() {
			parts = append(parts, field.AsStructField().Value())
		}
		return parts
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}
	default:
		return nil
	}
}
