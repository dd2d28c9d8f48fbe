package expression_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/ports/outbound"
)

func variables() []outbound.Variable {
	return []outbound.Variable{
		{Name: "user", Fields: []outbound.VariableField{
			{Name: "email", Type: outbound.TextField},
			{Name: "verified", Type: outbound.FlagField},
			{Name: "roles", Type: outbound.TextsField},
			{Name: "since", Type: outbound.TimeField},
			{Name: "metadata", Type: outbound.AnyField},
		}},
		{Name: "app", Fields: []outbound.VariableField{{Name: "slug", Type: outbound.TextField}}},
	}
}

func values() map[string]any {
	return map[string]any{
		"user": map[string]any{
			"email": "Ada@Example.com", "verified": true, "roles": []string{"owner", "dev"},
			"since":    time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC),
			"metadata": map[string]any{"plan": "pro", "seats": 3.0, "tags": []any{"a", "b"}, "none": nil},
		},
		"app": map[string]any{"slug": "billing"},
	}
}

// evaluate compiles and runs an expression.
func evaluate(t *testing.T, source string, with map[string]any) (string, error) {
	t.Helper()
	compiled, err := expression.New().Compile(source, variables())
	if err != nil {
		t.Fatalf("Compile(%s) = %v", source, err)
	}
	got, err := compiled.Evaluate(t.Context(), with)
	return string(got), err
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`user.email`:                                `"Ada@Example.com"`,
		`user.email.lowerAscii().split("@")[1]`:     `"example.com"`,
		`user.verified && "dev" in user.roles`:      `true`,
		`user.roles`:                                `["owner","dev"]`,
		`user.roles.filter(r, r.startsWith("d"))`:   `["dev"]`,
		`user.since`:                                `"2026-05-04T12:00:00Z"`,
		`user.metadata.plan`:                        `"pro"`,
		`user.metadata.tags.map(t, t + "!")`:        `["a!","b!"]`,
		`has(user.metadata.absent) ? 1 : 2`:         `2`,
		`has(user.email)`:                           `true`,
		`user == null ? "machine" : "person"`:       `"person"`,
		`{"slug": app.slug, "n": 1 + 2}`:            `{"n":3,"slug":"billing"}`,
		`9007199254740993`:                          `"9007199254740993"`,
		`null`:                                      `null`,
		`user.email.matches("^[A-Z]")`:              `true`,
		`[1, 2, 3].exists(n, n > 2) ? "yes" : "no"`: `"yes"`,
	} {
		if got, err := evaluate(t, source, values()); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", source, got, err, want)
		}
	}
}

func TestEvaluateWithoutAVariable(t *testing.T) {
	t.Parallel()
	machine := map[string]any{"user": nil, "app": map[string]any{"slug": "billing"}}
	for source, want := range map[string]string{
		`user == null ? "machine" : user.email`: `"machine"`,
		`has(user.email)`:                       `false`,
		`app.slug`:                              `"billing"`,
	} {
		if got, err := evaluate(t, source, machine); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", source, got, err, want)
		}
	}
	var failed *outbound.ExpressionError
	if got, err := evaluate(t, `user.email`, machine); !errors.As(err, &failed) {
		t.Errorf("user.email of nobody = %s, %v, want an ExpressionError", got, err)
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct{ line, column int }{
		`user.emial`:              {1, 5},
		`user.email + 1`:          {1, 12},
		"1 +\n  nobody":           {2, 3},
		`1 +`:                     {1, 4},
		``:                        {1, 1},
		`user.email.replace("a")`: {1, 19},
	} {
		_, err := expression.New().Compile(source, variables())
		var wrong *outbound.ExpressionError
		if !errors.As(err, &wrong) || wrong.Line != want.line || wrong.Column != want.column || wrong.Message == "" {
			t.Errorf("Compile(%q) = %+v, want a complaint at %+v", source, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "container") || strings.Contains(err.Error(), "variable.")) {
			t.Errorf("Compile(%q) tells of the inside: %v", source, err)
		}
	}
	for name, source := range map[string]string{
		"long":         `"` + strings.Repeat("a", 1100) + `"`,
		"deep":         strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200),
		"deep list":    strings.Repeat("[", 200) + "1" + strings.Repeat("]", 200),
		"not UTF-8":    "\"\xff\"",
		"control":      "\x00",
		"no such type": `variable.user{email: "x"}.emial`,
		// Compiled as they run, these would take seconds.
		"made regexp":        `user.email.matches("` + strings.Repeat("a{999}", 100) + `" + user.email) || true`,
		"made regexps":       `["a{999}"].all(p, user.email.matches(p + p) || true)`,
		"made regexp, plain": `matches(user.email, user.email)`,
		"large regexp":       `user.email.matches("(a?){100}")`,
		"wrong regexp":       `user.email.matches("(")`,
	} {
		var wrong *outbound.ExpressionError
		if _, err := expression.New().Compile(source, variables()); !errors.As(err, &wrong) {
			t.Errorf("%s: Compile = %v, want an ExpressionError", name, err)
		}
	}
}

// Each of these would take minutes or gigabytes, were nothing bounded.
func TestEvaluateIsBounded(t *testing.T) {
	t.Parallel()
	with := values()
	long := make([]any, 2000)
	for i := range long {
		long[i] = strings.Repeat("ab", 500)
	}
	with["user"].(map[string]any)["metadata"] = map[string]any{"list": long, "text": strings.Repeat("a", 16<<10)}
	const loop = `user.metadata.list.%s`
	for name, source := range map[string]string{
		"nested loops": fmt.Sprintf(loop, `all(a, user.metadata.list.all(b, user.metadata.list.all(c, a == b || b == c || a == c)))`),
		"growing list": fmt.Sprintf(loop, `map(a, user.metadata.list.map(b, user.metadata.list))`),
		"split":        fmt.Sprintf(loop, `map(a, user.metadata.text.split(""))`),
		"lower":        fmt.Sprintf(loop, `map(a, user.metadata.text.lowerAscii())`),
		"regexp":       fmt.Sprintf(loop, `all(a, user.metadata.text.matches("(a*)*(a*)*(a*)*b") || true)`),
		"long value":   `user.metadata.text`,
	} {
		began := time.Now()
		var failed *outbound.ExpressionError
		if _, err := evaluate(t, source, with); !errors.As(err, &failed) {
			t.Errorf("%s: %v, want an ExpressionError", name, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestEvaluateFails(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`1 / 0`, `user.metadata.absent`, `user.roles[7]`, `user.metadata.plan + 1`, `9223372036854775807 + 1`,
		`type(1)`, `user.metadata.seats.split(",")`,
	} {
		var failed *outbound.ExpressionError
		if got, err := evaluate(t, source, values()); !errors.As(err, &failed) {
			t.Errorf("%s = %s, %v, want an ExpressionError", source, got, err)
		}
	}
	compiled, err := expression.New().Compile(`user.metadata.list.all(a, a < 3)`, variables())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	with := values()
	with["user"].(map[string]any)["metadata"] = map[string]any{"list": make([]int64, 1000)}
	if _, err := compiled.Evaluate(ended, with); !errors.Is(err, context.Canceled) {
		t.Errorf("Evaluate under a context that ended = %v, want context.Canceled", err)
	}
}

func TestCompileAtOnce(t *testing.T) {
	t.Parallel()
	made := expression.New()
	first, err := made.Compile(`app.slug`, variables())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 200 {
				source := fmt.Sprintf("%d", i*200+n)
				if _, err := made.Compile(source, variables()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	again, err := made.Compile(`app.slug`, variables())
	if err != nil {
		t.Fatal(err)
	}
	for _, compiled := range []outbound.Expression{first, again} {
		if got, err := compiled.Evaluate(t.Context(), values()); err != nil || string(got) != `"billing"` {
			t.Errorf("app.slug = %s, %v", got, err)
		}
	}
	// The same source over other variables is another program.
	other := []outbound.Variable{{Name: "app", Fields: []outbound.VariableField{{Name: "name", Type: outbound.TextField}}}}
	if _, err := made.Compile(`app.slug`, other); err == nil {
		t.Error("a field of other variables was found")
	}
}
