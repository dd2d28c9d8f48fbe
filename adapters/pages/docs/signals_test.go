package docs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
)

var update = flag.Bool("update", false, "rewrite the table of signals from the code")

// The table of signals in the guide matches the code. `go test ./adapters/pages/docs
// -run TableOfSignals -update` rewrites it.
func TestTableOfSignals(t *testing.T) {
	t.Parallel()
	const (
		guide = "addresses-and-risk.md"
		head  = "| Signal | Weight | Raised when |\n|---|---|---|\n"
	)
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no table of signals", guide)
	}
	_, after, _ := strings.Cut("\n"+rest, "\n\n")
	var table strings.Builder
	for _, signal := range risk.Signals() {
		fmt.Fprintf(&table, "| `%s` | %d | %s |\n", signal.Name, signal.Weight(policy.Defaults().Risk), signal.Means)
	}
	want := before + head + table.String() + "\n" + after
	if *update {
		if err := os.WriteFile(guide, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s differs from the code: write its table anew", guide)
	}
}
