package expressions

import (
	"context"
	"errors"
	"strings"

	"gatehouse.internal/application/engine/cache"
	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Dialect is the language of some expressions: their variables, and how they are compiled.
type Dialect struct {
	in   outbound.Expressions
	over []outbound.Variable
	key  string
}

// NewDialect returns the dialect of a compiler over variables. No other compiler may have
// dialects of the same name.
func NewDialect(name string, in outbound.Expressions, over []outbound.Variable) Dialect {
	var key strings.Builder
	key.WriteString(name)
	for _, v := range over {
		key.WriteString("\n" + v.Name + " " + string(v.Type) + " " + string(v.Of))
		for _, field := range v.Fields {
			key.WriteString("\n." + field.Name + " " + string(field.Type))
		}
	}
	return Dialect{in: in, over: over, key: key.String()}
}

// Source is an expression as it is written.
type Source struct {
	Dialect

	Text string
}

// key identifies an expression of a workspace.
type key struct {
	org           workspace.ID
	dialect, text string
}

func (s Source) of(org workspace.ID) key { return key{org, s.key, s.Text} }

// compiled is a compiled expression, or what is wrong with it.
type compiled struct {
	made  outbound.Expression
	wrong *outbound.ExpressionError
}

// overhead is about what an entry holds beside the expression, in bytes.
const overhead = 512

func (c compiled) size(at key) int {
	size := overhead + len(at.dialect) + len(at.text)
	if c.made != nil {
		size += c.made.Size()
	}
	return size
}

// flight is a compilation that others may wait for, of an expression that is needed or checked.
type flight struct {
	of    key
	check bool
}

// Compiler compiles expressions. Its zero value is ready for use, and it is safe for
// concurrent use.
type Compiler struct {
	shelf   expressionCache
	flights cache.Flights[flight]
	// needed are the turns of workspaces whose expressions are needed, checks those of
	// workspaces that have some checked, of which one is compiled at a time.
	needed, checks, check turns
}

// Compile returns an expression of a workspace, or of the instance if org is empty. It must
// not be called inside a unit of work. It fails with an *outbound.ExpressionError, or with
// the context.
func (c *Compiler) Compile(ctx context.Context, org workspace.ID, s Source) (outbound.Expression, error) {
	return c.compile(ctx, flight{s.of(org), false}, s)
}

// Prepare compiles expressions that are being saved or tried, so that Compile returns them or
// what is wrong with them. It must not be called inside a unit of work. It fails with the
// context.
func (c *Compiler) Prepare(ctx context.Context, org workspace.ID, all ...Source) error {
	missing := false
	for _, one := range all {
		_, known := c.shelf.find(one.of(org))
		missing = missing || !known
	}
	if !missing {
		return nil
	}
	return outside.Run(ctx, func(ctx context.Context) error {
		for _, one := range all {
			_, err := c.compile(ctx, flight{one.of(org), true}, one)
			if _, wrong := errors.AsType[*outbound.ExpressionError](err); err != nil && !wrong {
				return err
			}
		}
		return nil
	})
}

func (c *Compiler) compile(ctx context.Context, what flight, s Source) (outbound.Expression, error) {
	for {
		if found, known := c.shelf.find(what.of); known {
			return found.result()
		}
		var made compiled
		first, err := c.flights.Do(ctx, what, func() error {
			return c.inTurn(ctx, what, func() (err error) {
				made, err = s.compile()
				if err == nil {
					c.shelf.keep(what.of, made)
				}
				return err
			})
		})
		switch {
		case err != nil:
			return nil, err
		case first:
			return made.result()
		}
	}
}

// inTurn does work when it is the turn of the workspace.
func (c *Compiler) inTurn(ctx context.Context, what flight, work func() error) error {
	if !what.check {
		return c.needed.take(ctx, what.of.org, work)
	}
	return c.checks.take(ctx, what.of.org, func() error { return c.check.take(ctx, "", work) })
}

// compile fails with errors that are not about the expression.
func (s Source) compile() (compiled, error) {
	made, err := s.in.Compile(s.Text, s.over)
	if wrong, is := errors.AsType[*outbound.ExpressionError](err); is {
		return compiled{wrong: wrong}, nil
	}
	return compiled{made: made}, err
}

func (c compiled) result() (outbound.Expression, error) {
	if c.wrong != nil {
		return nil, c.wrong
	}
	return c.made, nil
}
