package workspace_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/workspace"
)

func TestRulesAreTightened(t *testing.T) {
	t.Parallel()
	type rules = workspace.SignInRules
	methods := func(all ...workspace.Method) rules { return rules{Methods: all} }
	flows := func(all ...string) rules { return rules{Flows: all} }
	for name, c := range map[string]struct {
		before, after rules
		want          bool
	}{
		"nothing":             {rules{}, rules{}, false},
		"a flow":              {rules{}, flows("f@1"), true},
		"a version":           {flows("f@1"), flows("f@2"), true},
		"another flow":        {flows("f@1"), flows("f@1", "g@1"), true},
		"one flow less":       {flows("f@1", "g@1"), flows("g@1"), false},
		"a factor":            {rules{}, rules{MFA: true}, true},
		"the factor stays":    {rules{MFA: true}, rules{MFA: true}, false},
		"no factor":           {rules{MFA: true}, rules{}, false},
		"some methods of all": {rules{}, methods("password"), true},
		"all methods, listed": {rules{}, methods(workspace.Methods()...), false},
		"other methods":       {methods("password"), methods("passkey"), true},
		"fewer methods":       {methods("password", "passkey"), methods("passkey"), true},
		"more methods":        {methods("passkey"), methods("passkey", "password"), false},
		"all methods again":   {methods("passkey"), rules{}, false},
		"mfa, and more ways":  {methods("passkey"), rules{MFA: true}, true},
	} {
		if got := c.after.TighterThan(c.before); got != c.want {
			t.Errorf("%s: tighter = %v, want %v", name, got, c.want)
		}
	}
}

func TestRulesAreMet(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	tightened := workspace.RulesMark{Revision: 7, At: noon}
	for name, c := range map[string]struct {
		mark     workspace.RulesMark
		revision int64
		began    time.Time
		want     bool
	}{
		"no rules":                  {workspace.RulesMark{}, 0, noon, true},
		"never":                     {tightened, 0, noon.Add(time.Hour), false},
		"before":                    {tightened, 6, noon.Add(time.Hour), false},
		"at that revision":          {tightened, 7, noon, true},
		"later":                     {tightened, 8, noon, true},
		"unrecorded, before":        {tightened, workspace.Unrecorded, noon.Add(-time.Second), false},
		"unrecorded, after":         {tightened, workspace.Unrecorded, noon, true},
		"unrecorded, and old rules": {workspace.RulesMark{Revision: 1}, workspace.Unrecorded, noon, true},
		"kept out":                  {tightened, workspace.KeptOut, noon.Add(time.Hour), false},
		"kept out, and no rules":    {workspace.RulesMark{}, workspace.KeptOut, noon, false},
		"recorded, and old rules":   {workspace.RulesMark{Revision: 1}, 0, noon, false},
	} {
		if got := c.mark.MetAt(c.revision, c.began); got != c.want {
			t.Errorf("%s: met = %v, want %v", name, got, c.want)
		}
	}
}
