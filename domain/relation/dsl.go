package relation

import (
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
)

// ParseDSL parses and validates a model in OpenFGA's DSL. It fails with the lines of
// errors.
func ParseDSL(text string) (*Model, error) {
	if len(text) > MostModelBytes {
		return nil, fault.Unfit(place, "must not exceed 256 KiB")
	}
	p := &parser{lexer: lexer{rest: text, line: 1, fresh: true}}
	p.advance()
	m := p.model()
	if p.mistake != "" {
		return nil, fault.Unfit(place, p.mistake)
	}
	return m.admit()
}

// parser reads the DSL a token ahead. After the first mistake there are no tokens.
type parser struct {
	lexer

	token   string
	line    int // of the token
	mistake string
}

func (p *parser) fail(format string, args ...any) {
	if p.mistake == "" {
		p.mistake = fmt.Sprintf("line %d: ", p.line) + fmt.Sprintf(format, args...)
	}
	p.token = ""
}

// advance goes to the next token and returns the one before.
func (p *parser) advance() string {
	before := p.token
	p.token, p.line = p.next()
	if p.mistake != "" {
		p.token = ""
	}
	return before
}

// shown returns the token for a message.
func (p *parser) shown() string {
	if p.token == "" {
		return "end of model"
	}
	return fault.Pointer(p.token)[1:]
}

// accept takes a token if it is the next one.
func (p *parser) accept(token string) bool {
	if p.token != token {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(token string) {
	if !p.accept(token) {
		p.fail("expected %s, found %s", token, p.shown())
	}
}

// word takes a name of something.
func (p *parser) word(what string) string {
	if p.token == "" || strings.Contains(signs, p.token) {
		p.fail("expected the name of %s, found %s", what, p.shown())
		return ""
	}
	return p.advance()
}

func (p *parser) model() *Model {
	m := &Model{}
	if p.token == "module" {
		p.fail("modular models are not supported: combine the modules into one model")
	}
	p.expect("model")
	p.expect("schema")
	if version := p.word("a version"); version != schemaVersion {
		p.fail("the schema version must be %s", schemaVersion)
	}
	for p.token != "" {
		line := p.line
		switch p.token {
		case "type":
			p.advance()
			t := &Type{Name: p.word("a type"), line: line}
			p.relations(t)
			m.Types = append(m.Types, t)
		case "condition":
			p.advance()
			m.Conditions = append(m.Conditions, p.condition(line))
		default:
			p.fail("expected type or condition, found %s", p.shown())
		}
	}
	slices.SortStableFunc(m.Conditions, func(a, b *Condition) int { return strings.Compare(a.Name, b.Name) })
	return m
}

func (p *parser) relations(t *Type) {
	if !p.accept("relations") {
		return
	}
	for p.token == "define" {
		r := &Relation{line: p.line}
		p.advance()
		r.Name = p.word("a relation")
		p.expect(":")
		r.Rewrite = p.rewrite(r, 1)
		t.Relations = append(t.Relations, r)
	}
	slices.SortStableFunc(t.Relations, func(a, b *Relation) int { return strings.Compare(a.Name, b.Name) })
}

// rewrite parses operands combined by one operator: mixed operators need parentheses.
func (p *parser) rewrite(r *Relation, nesting int) Rewrite {
	first := p.operand(r, nesting)
	operator := p.token
	switch operator {
	case "or", "and":
		made := Rewrite{Op: Union, Operands: []Rewrite{first}}
		if operator == "and" {
			made.Op = Intersection
		}
		for p.accept(operator) {
			made.Operands = append(made.Operands, p.operand(r, nesting))
		}
		first = made
	case "but":
		p.advance()
		p.expect("not")
		first = Rewrite{Op: Difference, Operands: []Rewrite{first, p.operand(r, nesting)}}
	default:
		return first
	}
	if slices.Contains([]string{"or", "and", "but"}, p.token) {
		p.fail("mixed operators need parentheses")
	}
	return first
}

func (p *parser) operand(r *Relation, nesting int) Rewrite {
	switch {
	case nesting > mostNesting:
		p.fail("the expression is nested more than 25 levels deep")
	case p.accept("("):
		made := p.rewrite(r, nesting+1)
		p.expect(")")
		return made
	case p.accept("["):
		if r.Direct != nil {
			p.fail("a relation can have only one list of types")
		}
		r.Direct = p.restrictions()
		return Rewrite{Op: This}
	}
	name := p.word("a relation")
	if p.accept("from") {
		return Rewrite{Op: FromParent, Relation: name, Tupleset: p.word("a relation")}
	}
	return Rewrite{Op: Computed, Relation: name}
}

func (p *parser) restrictions() []Restriction {
	all := []Restriction{p.restriction()}
	for p.accept(",") {
		all = append(all, p.restriction())
	}
	p.expect("]")
	return all
}

func (p *parser) restriction() Restriction {
	made := Restriction{Type: p.word("a type")}
	switch {
	case p.accept(":"):
		p.expect("*")
		made.Wildcard = true
	case p.accept("#"):
		made.Relation = p.word("a relation")
	}
	if p.accept("with") {
		made.Condition = p.word("a condition")
	}
	return made
}

func (p *parser) condition(line int) *Condition {
	c := &Condition{Name: p.word("a condition"), line: line}
	p.expect("(")
	for p.token != "" {
		c.Parameters = append(c.Parameters, p.parameter())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	slices.SortStableFunc(c.Parameters, func(a, b Parameter) int { return strings.Compare(a.Name, b.Name) })
	if p.token != "{" {
		p.fail("expected {, found %s", p.shown())
		return c
	}
	body, closed := p.body()
	if !closed {
		p.fail("the condition %s is missing its closing }", c.Name)
	}
	c.Expression = strings.TrimSpace(body)
	p.advance()
	return c
}

func (p *parser) parameter() Parameter {
	made := Parameter{Name: p.word("a parameter")}
	p.expect(":")
	made.Type = p.valueType()
	if made.Type.generic() {
		p.expect("<")
		if made.Of = p.valueType(); made.Of.generic() {
			p.fail("a %s cannot contain lists or maps", made.Type)
		}
		p.expect(">")
	}
	return made
}

func (p *parser) valueType() ValueType {
	if !slices.Contains(ValueTypes(), ValueType(p.token)) {
		p.fail("%s is not a parameter type", p.shown())
	}
	return ValueType(p.advance())
}
