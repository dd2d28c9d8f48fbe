package claims_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// workspaceCounter counts the calls of Find.
type workspaceCounter struct {
	workspaces.WorkspaceDirectory

	asked int
	err   error
}

func (w *workspaceCounter) Find(_ context.Context, id workspace.ID) (workspace.Snapshot, error) {
	w.asked++
	return workspace.Snapshot{ID: id, Name: "Engines"}, w.err
}

func service() (*claims.Service, *workspaceCounter) {
	asked := &workspaceCounter{}
	return &claims.Service{Expressions: &expressions.Compiler{}, Language: expression.New(), Workspaces: asked}, asked
}

func with(expressions map[string]string) app.Snapshot {
	return app.Snapshot{Slug: "billing", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh", Claims: expressions}
}

func TestEvaluateLeavesOutWhatGivesNothing(t *testing.T) {
	t.Parallel()
	s, asked := service()
	person := &claims.Person{Account: user.Snapshot{DisplayName: "Ada"}, EffectiveRoles: role.EffectiveRoles{Roles: []string{"owner"}}}
	given, err := s.Evaluate(t.Context(), with(map[string]string{
		"shown": "user.display_name", "null": "null", "fails": "user.metadata_json.plan", "zero": "1 / 0", "broken": "user.", "held": "user.roles",
		"name": "user.display_name", "roles": "user.roles", "permissions": "['system:masters']",
	}), person.Facts())
	if err != nil || len(given) != 2 || string(given["shown"]) != `"Ada"` || string(given["held"]) != `["owner"]` {
		t.Errorf("Evaluate = %v, %v, want shown and held", given, err)
	}
	if asked.asked != 0 {
		t.Error("the workspace was read for nothing")
	}
}

func TestEvaluateReadsTheWorkspaceOnce(t *testing.T) {
	t.Parallel()
	s, asked := service()
	given, err := s.Evaluate(t.Context(), with(map[string]string{"a": "workspace.name", "b": "workspace.id"}), nil)
	if err != nil || asked.asked != 1 || string(given["a"]) != `"Engines"` || string(given["b"]) != `"org_01jd7x9k2mf3q8v5t0abcdefgh"` {
		t.Errorf("Evaluate = %v, %v, read %d times", given, err, asked.asked)
	}
	if none, err := s.Evaluate(t.Context(), with(nil), nil); err != nil || none != nil || asked.asked != 1 {
		t.Errorf("no claims give %v, %v", none, err)
	}
	asked.err = workspace.ErrNotFound
	if _, err := s.Evaluate(t.Context(), with(map[string]string{"a": "workspace.name"}), nil); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("Evaluate without its workspace = %v", err)
	}
}

func TestEvaluateIsBounded(t *testing.T) {
	t.Parallel()
	s, _ := service()
	long := `["` + strings.Repeat("x", 500) + `"].map(s, s + s)` // about 1 KiB
	some := map[string]string{"a": long, "b": long, "c": long}
	if given, err := s.Evaluate(t.Context(), with(some), nil); err != nil || len(given) != 3 {
		t.Errorf("3 KiB of claims: %d, %v", len(given), err)
	}
	some["d"], some["e"] = long, long
	if _, err := s.Evaluate(t.Context(), with(some), nil); !errors.Is(err, claims.ErrTooLarge) {
		t.Errorf("5 KiB of claims: %v, want ErrTooLarge", err)
	}
}

func TestEvaluateEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, _ := service()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	person := &claims.Person{Account: user.Snapshot{Metadata: map[string]any{"list": make([]any, 5000)}}}
	_, err := s.Evaluate(ended, with(map[string]string{"a": "user.metadata_json.list.all(x, x == null)"}), person.Facts())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Evaluate = %v, want context.Canceled: a claim must not be missing for that", err)
	}
}

func TestCheckBoundsAllExpressionsOfAnApp(t *testing.T) {
	t.Parallel()
	s, _ := service()
	several := func(n int, source string) map[string]string {
		expressions := map[string]string{}
		for i := range n {
			expressions[fmt.Sprintf("c%d", i)] = source
		}
		return expressions
	}
	usual := `"staff" in user.roles ? user.roles.filter(r, r.startsWith("team-")).map(r, r.split("-")[1]) : [app.slug, workspace.name]`
	if err := s.Check(t.Context(), "org_1", several(20, usual)); err != nil {
		t.Errorf("20 usual expressions: %v", err)
	}
	for name, expressions := range map[string]map[string]string{
		"long":    several(5, `"`+strings.Repeat("x", 900)+`"`),
		"complex": several(4, `[`+strings.Repeat(`user.email.matches("(a|b){50}c"),`, 30)+`1]`),
	} {
		refused, ok := errors.AsType[*fault.Error](s.Check(t.Context(), "org_1", expressions))
		if !ok || refused.Code != fault.Validation || len(refused.Fields) != 1 || refused.Fields[0].Path != "/claims" {
			t.Errorf("%s expressions: %v, want a complaint about all of them", name, refused)
		}
	}
}

// counted counts what is compiled.
type counted struct {
	outbound.Expressions

	times atomic.Int64
}

func (c *counted) Compile(source string, over []outbound.Variable) (outbound.Expression, error) {
	c.times.Add(1)
	return c.Expressions.Compile(source, over)
}

// TestExpressionsAreCompiledOnce has as many apps as a workspace may have, each with as
// many claims as it may have, evaluate them twice.
func TestExpressionsAreCompiledOnce(t *testing.T) {
	t.Parallel()
	compiler := &counted{Expressions: expression.New()}
	s := &claims.Service{Expressions: &expressions.Compiler{}, Language: compiler, Workspaces: &workspaceCounter{}}
	const apps, each = 100, 20
	several := make([]app.Snapshot, apps)
	for i := range several {
		several[i] = with(map[string]string{})
		several[i].ID = app.ID(fmt.Sprintf("app %d", i))
		for n := range each {
			several[i].Claims[fmt.Sprintf("c%d", n)] = fmt.Sprintf("[app.slug, %q, user == null ? 'machine' : user.locale]", fmt.Sprint(i, n))
		}
	}
	for round := range 2 {
		for _, one := range several {
			if given, err := s.Evaluate(t.Context(), one, nil); err != nil || len(given) != each {
				t.Fatalf("Evaluate = %v, %v", given, err)
			}
		}
		if times := compiler.times.Load(); times != apps*each {
			t.Errorf("round %d: compiled %d expressions, want %d", round, times, apps*each)
		}
	}
	several[0].Claims = map[string]string{"c0": "app.slug"}
	given, err := s.Evaluate(t.Context(), several[0], nil)
	if err != nil || len(given) != 1 || string(given["c0"]) != `"billing"` || compiler.times.Load() != apps*each+1 {
		t.Errorf("other claims of an app = %v, %v, compiled %d", given, err, compiler.times.Load())
	}
}

func TestCheckNamesEachMistake(t *testing.T) {
	t.Parallel()
	s, _ := service()
	if err := s.Check(t.Context(), "org_1", map[string]string{"a": "user.email", "b": "app.slug + workspace.id"}); err != nil {
		t.Error(err)
	}
	err := s.Check(t.Context(), "org_1", map[string]string{"good": "1", "b": "nobody", "a": "1 +"})
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Code != fault.Validation || len(refused.Fields) != 2 || refused.Fields[0].Path != "/claims/a" || refused.Fields[1].Path != "/claims/b" {
		t.Errorf("Check = %v, want complaints about a and b", err)
	}
}
