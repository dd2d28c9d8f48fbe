package claims_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// workspaces counts how often it is asked.
type workspaces struct {
	asked int
	err   error
}

func (w *workspaces) Find(_ context.Context, id workspace.ID) (workspace.Snapshot, error) {
	w.asked++
	return workspace.Snapshot{ID: id, Name: "Engines"}, w.err
}

func service() (*claims.Service, *workspaces) {
	asked := &workspaces{}
	return &claims.Service{Expressions: expression.New(), Workspaces: asked}, asked
}

func with(expressions map[string]string) app.Snapshot {
	return app.Snapshot{Slug: "billing", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh", Claims: expressions}
}

func TestEvaluateLeavesOutWhatGivesNothing(t *testing.T) {
	t.Parallel()
	s, asked := service()
	person := &claims.Person{Account: user.Snapshot{DisplayName: "Ada"}, Roles: []string{"owner"}}
	given, err := s.Evaluate(t.Context(), with(map[string]string{
		"name": "user.display_name", "null": "null", "fails": "user.metadata_json.plan", "zero": "1 / 0", "broken": "user.", "roles": "user.roles",
	}), person)
	if err != nil || len(given) != 2 || string(given["name"]) != `"Ada"` || string(given["roles"]) != `["owner"]` {
		t.Errorf("Evaluate = %v, %v, want name and roles", given, err)
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
	_, err := s.Evaluate(ended, with(map[string]string{"a": "user.metadata_json.list.all(x, x == null)"}), person)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Evaluate = %v, want context.Canceled: a claim must not be missing for that", err)
	}
}

func TestCheckNamesEachMistake(t *testing.T) {
	t.Parallel()
	s, _ := service()
	if err := s.Check(map[string]string{"a": "user.email", "b": "app.slug + workspace.id"}); err != nil {
		t.Error(err)
	}
	err := s.Check(map[string]string{"good": "1", "b": "nobody", "a": "1 +"})
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Code != fault.Validation || len(refused.Fields) != 2 || refused.Fields[0].Path != "/claims/a" || refused.Fields[1].Path != "/claims/b" {
		t.Errorf("Check = %v, want complaints about a and b", err)
	}
}
