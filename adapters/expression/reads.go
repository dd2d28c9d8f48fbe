package expression

import (
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"gatehouse.internal/ports/outbound"
)

// reads lists what an expression reads: variables, and of objects the fields.
func reads(checked *cel.Ast, over []outbound.Variable) []string {
	known := map[string]bool{}
	for _, v := range over {
		known[v.Name] = true
	}
	var read []string
	root := ast.NavigateAST(checked.NativeRep())
	for _, found := range ast.MatchDescendants(root, ast.AllMatcher()) {
		switch {
		case found.Kind() == ast.IdentKind && known[found.AsIdent()]:
			read = append(read, found.AsIdent())
		case found.Kind() == ast.SelectKind && found.AsSelect().Operand().Kind() == ast.IdentKind:
			if of := found.AsSelect().Operand().AsIdent(); known[of] {
				read = append(read, of+"."+found.AsSelect().FieldName())
			}
		}
	}
	slices.Sort(read)
	return slices.Compact(read)
}
