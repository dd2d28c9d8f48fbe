package app_test

import (
	"slices"
	"testing"

	"gatehouse.internal/domain/app"
)

// Only what a superadmin granted counts as vouched for, and only as long as it is
// granted.
func TestVouched(t *testing.T) {
	t.Parallel()
	made, err := app.Register(app.Registration{ID: "a", OrgID: org, Slug: "a", Scopes: []string{"one", "two"}}, noon())
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		do   func() error
		want []string
	}{
		{func() error { return made.Grant([]string{"two", "three"}, false, noon()) }, nil},
		{func() error { return made.Grant([]string{"two", "four"}, true, noon()) }, []string{"four", "two"}},
		{func() error { return made.Withdraw([]string{"two"}, nil, noon()) }, []string{"four"}},
		{func() error { return made.Grant([]string{"two"}, false, noon()) }, []string{"four"}},
	}
	for i, step := range steps {
		if err := step.do(); err != nil || !slices.Equal(made.Snapshot().Vouched, step.want) {
			t.Errorf("step %d: %q, %v, want %q", i, made.Snapshot().Vouched, err, step.want)
		}
	}
	if got := made.Snapshot().Scopes; !slices.Equal(got, []string{"four", "one", "three", "two"}) {
		t.Errorf("scopes %q", got)
	}
}
