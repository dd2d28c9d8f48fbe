package pages_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestEveryPageFits for flows: one is made, tested, enabled, and seen to decide.
func TestEveryPageOfFlowsFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on)
		w, p := browser.NewTab(t, at), instance.Newcomer()
		w.Register(p).Open("/account/workspaces").Press("Flows").At("/account/flows").Picture("flows-empty")
		w.Press("Create flow").Fill("Name", "risky").Tick("Denies high-risk attempts").Picture("flow-new")
		w.Press("Create flow").Sees("no effect until you enable it").Picture("flow")
		w.Press("Edit").Sees("Learn the graph format").Picture("flow-edit")
		w.Press("Save").Sees("The flow was updated.").Press("Delete").Picture("flow-delete")
		w.Press("Cancel").Sees("Graph")
		w.Fill("risk.score", "40").Press("Run test").Sees("Second factor").Picture("flow-tested")
		w.Open("/account/flows/new").Fill("Name", "newcomers").Tick("Gives accounts in their first three days").Press("Create flow")
		w.Press("Enable").Sees("The flow is enabled.").Press("Flows").Picture("flows")
		again := browser.NewTab(t, at)
		arrive(again, p).At("/account").Open("/account/flows/runs").Picture("flow-runs")
		again.Find("the run", `all => all.find(e => (e.ariaLabel || "").startsWith("Open run"))`)
		again.Follow().Sees("Decision").Picture("flow-run")
	})
}
