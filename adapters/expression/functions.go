package expression

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// The overloads of our own functions.
const (
	splitOverload = "gatehouse_split"
	lowerOverload = "gatehouse_lower_ascii"
)

// functions returns those beyond the standard library of CEL. They mean what they mean
// in cel-go's extension for strings.
func functions() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Function("split", cel.MemberOverload(splitOverload,
			[]*cel.Type{cel.StringType, cel.StringType}, cel.ListType(cel.StringType), cel.BinaryBinding(split))),
		cel.Function("lowerAscii", cel.MemberOverload(lowerOverload,
			[]*cel.Type{cel.StringType}, cel.StringType, cel.UnaryBinding(lowerASCII))),
		cel.Function("ipaddress", cel.Overload("gatehouse_address",
			[]*cel.Type{cel.StringType}, addressType, cel.UnaryBinding(parseAddress))),
		cel.Function("in_cidr", cel.MemberOverload("gatehouse_in_cidr",
			[]*cel.Type{addressType, cel.StringType}, cel.BoolType, cel.BinaryBinding(inNetwork))),
	}
}

func split(text, separator ref.Val) ref.Val {
	whole, ok := text.(types.String)
	at, known := separator.(types.String)
	if !ok || !known {
		return types.MaybeNoSuchOverloadErr(text)
	}
	return types.DefaultTypeAdapter.NativeToValue(strings.Split(string(whole), string(at)))
}

func lowerASCII(text ref.Val) ref.Val {
	whole, ok := text.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	return types.String(strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, string(whole)))
}

// unbounded reports whether a regular expression is made while the expression runs.
// Only one that stands in it is held against maxRegexp, and compiled once: "a{999}"
// a hundred times over costs seconds, and CEL counts it as a few units.
func unbounded(checked *cel.Ast) bool {
	root := ast.NavigateAST(checked.NativeRep())
	for _, match := range ast.MatchSubset(ast.MatchDescendants(root, ast.AllMatcher()), ast.FunctionMatcher(overloads.Matches)) {
		args := match.AsCall().Args()
		if len(args) == 0 || args[len(args)-1].Kind() != ast.LiteralKind {
			return true
		}
	}
	return false
}

// plain reports whether an expression is true or false and costs no more than it has parts,
// which are so many at most: it compares what it reads with what stands in it, and has neither loops nor other
// functions. Counting while it runs costs several times what it does.
func plain(checked *cel.Ast, most uint64) bool {
	parts := ast.MatchDescendants(ast.NavigateAST(checked.NativeRep()), ast.AllMatcher())
	return checked.OutputType().IsExactType(cel.BoolType) && uint64(len(parts)) <= most && !slices.ContainsFunc(parts, func(part ast.NavigableExpr) bool {
		switch part.Kind() {
		case ast.LiteralKind, ast.IdentKind, ast.SelectKind:
			return false
		case ast.CallKind:
			return !plainCall(part.AsCall())
		default:
			return true
		}
	})
}

// plainCall reports whether a call is a logical operator, or compares something with a literal.
func plainCall(call ast.CallExpr) bool {
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional:
		return true
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return slices.ContainsFunc(call.Args(), func(arg ast.Expr) bool { return arg.Kind() == ast.LiteralKind })
	}
	return false
}

// What a compiled expression holds, measured: a part of it, and the automaton of a
// regular expression of the greatest size.
const (
	sizeOfPart   = 200
	sizeOfRegexp = 9 << 10
)

// sizeOf estimates what a compiled expression holds, in bytes of memory.
func sizeOf(checked *cel.Ast) int {
	parts := ast.MatchDescendants(ast.NavigateAST(checked.NativeRep()), ast.AllMatcher())
	regexps := ast.MatchSubset(parts, ast.FunctionMatcher(overloads.Matches))
	return 1<<10 + len(parts)*sizeOfPart + len(regexps)*sizeOfRegexp
}

// costs counts a unit for every ten bytes that our functions read, as CEL does for
// its own, and four for every byte that a regular expression of the greatest size
// reads.
func costs() cel.ProgramOption {
	const tenth, four = 10, 4
	return cel.CostTrackerOptions(
		cost.OverloadTracker(splitOverload, perByte(1, tenth)),
		cost.OverloadTracker(lowerOverload, perByte(1, tenth)),
		cost.OverloadTracker(overloads.Matches, perByte(four, 1)),
		cost.OverloadTracker(overloads.MatchesString, perByte(four, 1)),
	)
}

// perByte counts so many units for so many bytes of the first argument.
func perByte(units, bytes uint64) cost.FunctionTracker {
	return func(args []ref.Val, _ ref.Val) *uint64 {
		counted := uint64(1)
		if text, ok := args[0].(types.String); ok {
			counted += uint64(len(text)) * units / bytes
		}
		return &counted
	}
}
