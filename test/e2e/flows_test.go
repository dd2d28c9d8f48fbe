package e2e_test

import (
	"os"
	"testing"
)

// TestEveryPageFits for flows: one is made, tested, enabled, and seen to decide.
func TestEveryPageOfFlowsFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on)
		w, p := newTab(t, at), newcomer()
		w.register(p).open("/account/workspaces").press("Flows").at("/account/flows").picture("flows-empty")
		w.press("New flow").fill("Name", "risky").tick("Denies attempts of high risk").picture("flow-new")
		w.press("Make the flow").sees("decides nothing until you enable it").picture("flow")
		w.press("Edit").sees("How a graph is written").picture("flow-edit")
		w.press("Save").sees("The flow was changed.").press("Delete").picture("flow-delete")
		w.press("Cancel").sees("Graph")
		w.fill("risk.score", "40").press("Run the test").sees("Second factor").picture("flow-tested")
		w.open("/account/flows/new").fill("Name", "newcomers").tick("Gives accounts of the first three days").press("Make the flow")
		w.press("Switch on").sees("The flow decides from now on.").press("Flows").picture("flows")
		again := newTab(t, at)
		again.arrive(p).at("/account").open("/account/flows/runs").picture("flow-runs")
		again.find("the run", `all => all.find(e => (e.ariaLabel || "").startsWith("Open the run"))`)
		again.follow().sees("What it came to").picture("flow-run")
	})
}
