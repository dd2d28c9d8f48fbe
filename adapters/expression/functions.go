package expression

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// The overloads of our own functions.
const (
	splitOverload = "gatehouse_split"
	lowerOverload = "gatehouse_lower_ascii"
)

// functions are those beyond the standard library of CEL. They mean what they mean
// in cel-go's extension for strings.
func functions() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Function("split", cel.MemberOverload(splitOverload,
			[]*cel.Type{cel.StringType, cel.StringType}, cel.ListType(cel.StringType), cel.BinaryBinding(split))),
		cel.Function("lowerAscii", cel.MemberOverload(lowerOverload,
			[]*cel.Type{cel.StringType}, cel.StringType, cel.UnaryBinding(lowerASCII))),
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

// costs counts a unit for every ten bytes that our functions read, as CEL does for
// its own.
func costs() cel.ProgramOption {
	return cel.CostTrackerOptions(
		cost.OverloadTracker(splitOverload, perByte),
		cost.OverloadTracker(lowerOverload, perByte),
	)
}

func perByte(args []ref.Val, _ ref.Val) *uint64 {
	const bytesPerUnit = 10
	units := uint64(1)
	if text, ok := args[0].(types.String); ok {
		units += uint64(len(text)) / bytesPerUnit
	}
	return &units
}
