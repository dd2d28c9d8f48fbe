package expression

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"github.com/go-json-experiment/json"

	"gatehouse.internal/ports/outbound"
)

const (
	// maxSource bounds an expression, in code points, maxParsed how deep its
	// syntax nests, maxRegexp the instructions of a regular expression in it.
	maxSource = 1024
	maxParsed = 50
	maxRegexp = 200
	// maxCost bounds a run in cel-go's units, maxElements the values it holds.
	maxCost     = 2000
	maxElements = 100_000
	// checkEvery is after how many steps of a loop a canceled context is noticed.
	checkEvery = 100
	// maxValue bounds the JSON of a value, in bytes.
	maxValue = 2 << 10
	// maxMessage bounds what is told of an error, in characters.
	maxMessage = 200
)

// Expressions compiles expressions. It is safe for concurrent use.
type Expressions struct {
	// cost bounds a run in cel-go's units.
	cost  uint64
	guard sync.Mutex
	// environments are what expressions are compiled in, by the shape of the variables.
	environments map[string]*cel.Env
}

var _ outbound.Expressions = (*Expressions)(nil)

// New returns a compiler.
func New() *Expressions { return Costing(maxCost) }

// Costing returns a compiler of expressions that may cost so much, in cel-go's units.
func Costing(most uint64) *Expressions {
	return &Expressions{cost: most, environments: map[string]*cel.Env{}}
}

// environment returns what expressions over some variables are compiled in. Shapes with an
// object are those that the program knows: there are a handful, which are kept. Plain
// values alone are named by those who write expressions.
func (e *Expressions) environment(over []outbound.Variable) (*cel.Env, error) {
	if !slices.ContainsFunc(over, func(v outbound.Variable) bool { return v.Type == "" }) {
		return environment(over)
	}
	name := key(over)
	e.guard.Lock()
	defer e.guard.Unlock()
	if made, known := e.environments[name]; known {
		return made, nil
	}
	made, err := environment(over)
	if err != nil {
		return nil, fmt.Errorf("prepare the variables of an expression: %w", err)
	}
	e.environments[name] = made
	return made, nil
}

// program is a compiled expression.
type program struct {
	run cel.Program
	// plain is an expression that ends soon, whatever it reads.
	plain         bool
	size          int
	boolean, text bool
	reads         []string
}

// Boolean reports whether the value is a bool, or of a type that is not known yet.
func (p *program) Boolean() bool { return p.boolean }

// Text reports whether the value is a text, or of a type that is not known yet.
func (p *program) Text() bool { return p.text }

// Reads lists what it reads.
func (p *program) Reads() []string { return p.reads }

// Size returns about how many bytes of memory it holds.
func (p *program) Size() int { return p.size }

// Compile reads an expression.
func (e *Expressions) Compile(source string, over []outbound.Variable) (outbound.Expression, error) {
	if strings.ContainsFunc(source, func(r rune) bool { return r == unicode.ReplacementChar }) {
		return nil, &outbound.ExpressionError{Message: "the expression must be valid UTF-8 without U+FFFD"}
	}
	env, err := e.environment(over)
	if err != nil {
		return nil, err
	}
	checked, err := check(env, source)
	if err != nil {
		return nil, err
	}
	if unbounded(checked) {
		return nil, &outbound.ExpressionError{Message: "the pattern of matches must be a string literal"}
	}
	options, soon := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}, plain(checked, e.cost)
	if !soon {
		options = append(options, cel.CostLimit(e.cost), costs(), cel.MemoryLimit(maxElements), cel.InterruptCheckFrequency(checkEvery))
	}
	run, err := env.Program(checked, options...)
	if err != nil {
		return nil, &outbound.ExpressionError{Message: tell(err.Error())}
	}
	result := checked.OutputType()
	dynamic := result.IsExactType(cel.DynType)
	return &program{
		run: run, plain: soon, size: sizeOf(checked), reads: reads(checked, over),
		boolean: dynamic || result.IsExactType(cel.BoolType), text: dynamic || result.IsExactType(cel.StringType),
	}, nil
}

// check parses an expression and checks its types, which is bounded.
func check(env *cel.Env, source string) (*cel.Ast, error) {
	parsed, issues := env.Parse(source)
	if err := mistake(issues); err != nil {
		return nil, err
	}
	if err := bounded(parsed.NativeRep().Expr()); err != nil {
		return nil, err
	}
	checked, issues := env.Check(parsed)
	return checked, mistake(issues)
}

// mistake returns the first of the issues; nil for none.
func mistake(issues *cel.Issues) error {
	found := issues.Errors()
	if len(found) == 0 {
		return nil
	}
	at := found[0].Location
	return &outbound.ExpressionError{Line: max(1, at.Line()), Column: max(1, at.Column()+1), Message: tell(found[0].Message)}
}

// evaluate runs the expression; one that ends soon is not watched.
func (p *program) evaluate(ctx context.Context, values map[string]any) (result ref.Val, err error) {
	if p.plain {
		result, _, err = p.run.Eval(values)
	} else {
		result, _, err = p.run.ContextEval(ctx, values)
	}
	return result, err
}

// Evaluate runs the expression.
func (p *program) Evaluate(ctx context.Context, values map[string]any) ([]byte, error) {
	result, err := p.evaluate(ctx, values)
	if err != nil {
		if canceled := ctx.Err(); canceled != nil {
			return nil, canceled
		}
		return nil, &outbound.ExpressionError{Message: tell(err.Error())}
	}
	encoded, err := toJSON(result)
	if err != nil {
		return nil, &outbound.ExpressionError{Message: tell(err.Error())}
	}
	return encoded, nil
}

// toJSON writes a value as JSON: times and durations as CEL's own conversion has
// them, numbers that JSON readers would round as texts.
func toJSON(value ref.Val) ([]byte, error) {
	if flag, is := value.(types.Bool); is {
		return strconv.AppendBool(nil, bool(flag)), nil
	}
	converted, err := value.ConvertToNative(types.JSONValueType)
	if err != nil {
		return nil, errors.New("the value cannot be encoded as JSON")
	}
	plain, ok := converted.(interface{ AsInterface() any })
	if !ok {
		return nil, errors.New("the value cannot be encoded as JSON")
	}
	encoded, err := json.Marshal(plain.AsInterface(), json.Deterministic(true))
	if err != nil {
		return nil, errors.New("the value cannot be encoded as JSON")
	}
	if len(encoded) > maxValue {
		return nil, errors.New("the value exceeds 2 KiB of JSON")
	}
	return encoded, nil
}

// tell makes a message fit to be shown: it may quote the expression.
func tell(message string) string {
	message = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(message, " (in container '')", ""))
	if shown := []rune(message); len(shown) > maxMessage {
		message = string(shown[:maxMessage]) + "…"
	}
	return strings.ReplaceAll(message, prefix, "")
}
