package workspace_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/workspace"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Editor": "Editor", "  On call ": "On call", "Éditeur 2/3": "Éditeur 2/3", strings.Repeat("é", 64): strings.Repeat("é", 64),
		"": "", "   ": "", strings.Repeat("é", 65): "", "a\x00b": "", "a\u200bb": "", "a\nb": "", "own\u202eer": "", "\xff": "",
	} {
		var label workspace.Label
		if err := label.UnmarshalText([]byte(text)); (err == nil) != (want != "") || string(label) != want {
			t.Errorf("%q is read as %q, %v", text, label, err)
		}
	}
	if workspace.Label("ÉDITEUR").Folded() != workspace.Label("éditeur").Folded() {
		t.Error("case makes a difference")
	}
}

func TestReplaceKeepsTheLongerGrant(t *testing.T) {
	t.Parallel()
	m := member()
	m.Assign(workspace.RoleRef{Key: "rol_1", Name: "one"}, now().AddDate(0, 0, 1))
	m.Assign(workspace.RoleRef{Key: "rol_2", Name: "two"}, now().AddDate(0, 0, 2))
	m.Stored()
	m.Replace("rol_1", "rol_2")
	if grants := m.Snapshot().Grants; len(grants) != 2 || grants[1].Role != "rol_2" || !grants[1].ExpiresAt.Equal(now().AddDate(0, 0, 2)) {
		t.Errorf("grants %v", grants)
	}
	m.Replace("rol_2", "member")
	if grants := m.Snapshot().Grants; len(grants) != 1 || !m.HoldsForGood("member") || m.Changed() {
		t.Errorf("grants %v", grants)
	}
}
