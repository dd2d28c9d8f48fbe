package letters

import (
	"errors"
	"fmt"
	"slices"
	plain "text/template"
	"text/template/parse"
)

// errGrammar is returned for unsupported template syntax.
var errGrammar = errors.New("supports only {{.variable}}, {{if}} and {{else}}, with not, and, or over variables")

// grammar fails unless a text is of the small language and names known variables.
func grammar(text string, known []string) error {
	parsed, err := plain.New("").Parse(text)
	if err != nil {
		return err
	}
	if len(parsed.Templates()) > 1 || (len(parsed.Templates()) == 1 && parsed.Tree == nil) {
		return errGrammar
	}
	if parsed.Tree == nil {
		return nil
	}
	return nodes(parsed.Root, known)
}

func nodes(list *parse.ListNode, known []string) error {
	if list == nil {
		return nil
	}
	for _, n := range list.Nodes {
		if err := node(n, known); err != nil {
			return err
		}
	}
	return nil
}

func node(n parse.Node, known []string) error {
	switch n := n.(type) {
	case *parse.TextNode, *parse.CommentNode:
		return nil
	case *parse.ActionNode:
		return pipe(n.Pipe, known)
	case *parse.IfNode:
		return errors.Join(pipe(n.Pipe, known), nodes(n.List, known), nodes(n.ElseList, known))
	}
	return errGrammar
}

// pipe admits one variable, or not, and, or over several.
func pipe(p *parse.PipeNode, known []string) error {
	if p == nil || len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return errGrammar
	}
	operands := p.Cmds[0].Args
	if function, named := operands[0].(*parse.IdentifierNode); named {
		if operands = operands[1:]; len(operands) == 0 || !slices.Contains([]string{"not", "and", "or"}, function.Ident) {
			return errGrammar
		}
	} else if len(operands) != 1 {
		return errGrammar
	}
	for _, one := range operands {
		if err := operand(one, known); err != nil {
			return err
		}
	}
	return nil
}

func operand(n parse.Node, known []string) error {
	switch n := n.(type) {
	case *parse.PipeNode:
		return pipe(n, known)
	case *parse.FieldNode:
		if len(n.Ident) != 1 || !slices.Contains(known, n.Ident[0]) {
			return fmt.Errorf("uses the unknown variable %.64s", n.String())
		}
		return nil
	}
	return errGrammar
}
