package expression

import (
	"context"
	"errors"
	"fmt"
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
	// maxSource bounds an expression, in code points, maxDepth how deep it nests,
	// maxRegexp the instructions of a regular expression in it.
	maxSource = 1024
	maxDepth  = 50
	maxRegexp = 200
	// maxCost bounds a run in cel-go's units, maxElements the values it holds.
	maxCost     = 2000
	maxElements = 100_000
	// checkEvery is after how many steps of a loop a canceled context is noticed.
	checkEvery = 100
	// maxValue bounds the JSON of a value, in bytes.
	maxValue = 2 << 10
	// maxKept is how many compiled expressions are kept.
	maxKept = 1024
	// maxMessage bounds what is told of an error, in characters.
	maxMessage = 200
)

// Expressions compiles expressions, and keeps what it compiled lately: the same
// source over the same variables is the same program. It is safe for concurrent
// use.
type Expressions struct {
	mu       sync.Mutex
	programs map[string]*program
}

var _ outbound.Expressions = (*Expressions)(nil)

// New gives a compiler without anything compiled.
func New() *Expressions { return &Expressions{programs: map[string]*program{}} }

// program is a compiled expression.
type program struct{ run cel.Program }

// Compile reads an expression.
func (e *Expressions) Compile(source string, over []outbound.Variable) (outbound.Expression, error) {
	name := key(over) + source
	e.mu.Lock()
	kept, known := e.programs[name]
	e.mu.Unlock()
	if known {
		return kept, nil
	}
	made, err := compile(source, over)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.programs) >= maxKept {
		clear(e.programs)
	}
	e.programs[name] = made
	return made, nil
}

func compile(source string, over []outbound.Variable) (*program, error) {
	if strings.ContainsFunc(source, func(r rune) bool { return r == unicode.ReplacementChar }) {
		return nil, &outbound.ExpressionError{Message: "it must be UTF-8, without U+FFFD"}
	}
	env, err := environment(over)
	if err != nil {
		return nil, fmt.Errorf("prepare the variables of an expression: %w", err)
	}
	checked, issues := env.Compile(source)
	if found := issues.Errors(); len(found) > 0 {
		first := found[0]
		return nil, &outbound.ExpressionError{
			Line: max(1, first.Location.Line()), Column: max(1, first.Location.Column()+1), Message: tell(first.Message),
		}
	}
	if unbounded(checked) {
		return nil, &outbound.ExpressionError{Message: "the pattern of matches must be a text that stands in the expression"}
	}
	run, err := env.Program(checked, cel.EvalOptions(cel.OptOptimize),
		cel.CostLimit(maxCost), costs(), cel.MemoryLimit(maxElements), cel.InterruptCheckFrequency(checkEvery))
	if err != nil {
		return nil, &outbound.ExpressionError{Message: tell(err.Error())}
	}
	return &program{run: run}, nil
}

// Evaluate runs the expression.
func (p *program) Evaluate(ctx context.Context, values map[string]any) ([]byte, error) {
	result, _, err := p.run.ContextEval(ctx, values)
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
	converted, err := value.ConvertToNative(types.JSONValueType)
	if err != nil {
		return nil, errors.New("its value has no JSON form")
	}
	plain, ok := converted.(interface{ AsInterface() any })
	if !ok {
		return nil, errors.New("its value has no JSON form")
	}
	encoded, err := json.Marshal(plain.AsInterface(), json.Deterministic(true))
	if err != nil {
		return nil, errors.New("its value has no JSON form")
	}
	if len(encoded) > maxValue {
		return nil, errors.New("its value has more than 2 KiB of JSON")
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
