package expression

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"gatehouse.internal/ports/outbound"
)

// tree is the size of a type, as far as a limit.
func tree(of *types.Type, most int) int {
	size := 1
	for _, inner := range of.Parameters() {
		if size += tree(inner, most-size); size > most {
			return size
		}
	}
	return size
}

// largestType checks an expression, and returns the size of its largest type; 0 if it is
// refused or wrong.
func largestType(t *testing.T, env *cel.Env, source string) int {
	t.Helper()
	checked, err := check(env, source)
	if err != nil {
		if _, mistaken := errors.AsType[*outbound.ExpressionError](err); !mistaken {
			t.Fatalf("%s: %v", source, err)
		}
		return 0
	}
	size := 0
	for _, one := range checked.NativeRep().TypeMap() {
		size = max(size, tree(one, 10*maxType))
	}
	return size
}

func anyone(t *testing.T) *cel.Env {
	t.Helper()
	env, err := environment([]outbound.Variable{
		{Name: "user", Fields: []outbound.VariableField{{Name: "roles", Type: outbound.TextsField}, {Name: "metadata", Type: outbound.AnyField}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Each of these is within the limit of texts. The first takes 8 seconds of a processor to
// check, some of the others more than a lifetime.
func TestCheckingIsBounded(t *testing.T) {
	t.Parallel()
	equations := "true"
	for v := 'a'; v < 'o'; v++ {
		equations += fmt.Sprintf("&&%c=={%c:%c}", v, v+1, v+1)
	}
	open := equations
	for v := 'o'; v >= 'a'; v-- {
		open = fmt.Sprintf("[].all(%c,%s)", v, open)
	}
	for name, source := range map[string]string{
		"nested lists":    "[1]" + strings.Repeat(".map(a,[[[[[[a]]]]]])", 46),
		"few loops":       "[1]" + strings.Repeat(".map(a,[[[[[[a]]]]]])", 16),
		"nested maps":     "[1]" + strings.Repeat(".map(a,{a:a})", 16),
		"many loops":      "[1]" + strings.Repeat(".filter(a,true)", 40),
		"loops in loops":  strings.Repeat("[1].all(a,", 40) + "true" + strings.Repeat(")", 40),
		"filters":         "[[1]]" + strings.Repeat(".filter(a,true).map(a,{a:a})", 8),
		"joined elements": "[1]" + strings.Repeat(".map(a,[{},{a:a}])", 16),
		"ranges":          strings.Repeat("[", 14) + "1" + strings.Repeat("].map(a,{a:a})", 14),
		"empty lists":     open,
		"empty in a map":  strings.ReplaceAll(open, "[].", "[[[]]][0]."),
		"ternaries":       "[1]" + strings.Repeat(".map(a,true?{a:a}:{})", 16),
		"types":           strings.Repeat("[type(", 20) + "1" + strings.Repeat(")]", 20),
	} {
		parsed, issues := anyone(t).Parse(source)
		if issues.Err() != nil {
			t.Errorf("%s: %v", name, issues.Err())
			continue
		}
		if err := bounded(parsed.NativeRep().Expr()); err == nil {
			t.Errorf("%s are not refused", name)
		}
	}
}

// What people write stays within the bounds.
func TestBoundsLeaveRoom(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`(user == null ? [] : user.roles).filter(r, r.startsWith("team-")).map(r, r.split("-")[1]).exists(r, r == "a")`,
		`{"https://hasura.io/jwt/claims": {"x-hasura-allowed-roles": user.roles.map(r, {"name": r, "of": [r]})}}`,
		`{"a":{"b":{"c":{"d":{"e":[{"f":[1, 2]}]}}}}}`,
		`[1, 2, 3]` + strings.Repeat(`.filter(n, n > 1).map(n, n + 1)`, 8),
		`[` + strings.Repeat(`{"id": "a", "rights": ["r", "w"]}, `, 20) + `{}]`,
	} {
		if largestType(t, anyone(t), source) == 0 {
			_, err := check(anyone(t), source)
			t.Errorf("%s: %v", source, err)
		}
	}
}

// written writes random expressions of lists, maps and loops over them.
type written struct {
	*rand.Rand

	vars []string
}

func (w *written) of(depth int) string {
	if depth == 0 || w.IntN(6) == 0 {
		return w.pick("1", "'a'", "[]", "{}", "user.roles", "user.metadata", "user.metadata.x", w.variable(), w.variable(), w.variable())
	}
	d := depth - 1
	switch w.IntN(10) {
	case 0, 1:
		return "[" + w.of(d) + "]"
	case 2:
		return "[" + w.of(d) + "," + w.of(d) + "]"
	case 3, 4:
		return "{" + w.of(d) + ":" + w.of(d) + "}"
	case 5:
		return "(1 == 1 ? " + w.of(d) + " : " + w.of(d) + ")"
	case 6:
		return "(" + w.of(d) + " == " + w.of(d) + ")"
	case 7:
		return w.of(d) + "[0]"
	}
	over, name := w.of(d), string(rune('a'+len(w.vars)%26))
	w.vars = append(w.vars, name)
	defer func() { w.vars = w.vars[:len(w.vars)-1] }()
	return over + w.pick(".map(", ".filter(", ".all(") + name + "," + w.of(d) + ")"
}

func (w *written) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *written) variable() string {
	if len(w.vars) == 0 {
		return "[]"
	}
	return w.vars[w.IntN(len(w.vars))]
}

// No type of an expression that is let through is larger than its bound.
func TestBoundsHold(t *testing.T) {
	t.Parallel()
	env, sound, largest := anyone(t), 0, 0
	for seed := range uint64(3_000) {
		w := &written{Rand: rand.New(rand.NewPCG(seed, 1))}
		source := w.of(3 + int(seed%4))
		size := largestType(t, env, source)
		if size > maxType {
			t.Fatalf("%s has a type of size %d", source, size)
		}
		if size > 0 {
			sound++
		}
		largest = max(largest, size)
	}
	if sound < 1000 || largest < maxType/2 {
		t.Errorf("%d expressions are sound, with types of at most %d: the test has lost its sense", sound, largest)
	}
}
