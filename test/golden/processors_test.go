package golden_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/payment/mollie"
	"gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/adapters/payment/paypal"
	"gatehouse.internal/adapters/payment/polar"
	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/adapters/payment/stripe"
	"gatehouse.internal/domain/billing"
)

// processors are the adapters by name, in the order of the table.
func processors() []struct {
	name string
	by   interface{ Abilities() []billing.Ability }
} {
	return []struct {
		name string
		by   interface{ Abilities() []billing.Ability }
	}{
		{"sandbox", (*sandbox.Sandbox)(nil)},
		{"stripe", (*stripe.Stripe)(nil)},
		{"paddle", (*paddle.Paddle)(nil)},
		{"polar", (*polar.Polar)(nil)},
		{"mollie", (*mollie.Mollie)(nil)},
		{"paypal", (*paypal.PayPal)(nil)},
	}
}

// The guide has the table of what each payment processor can do, as its adapter says.
func TestTheTableOfProcessors(t *testing.T) {
	t.Parallel()
	const guide, begin, end = "../../adapters/pages/docs/sell-it.md", "| ability |", "\n\n"
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	if !found {
		t.Fatal("the guide has no table of processors")
	}
	_, after, _ := strings.Cut(rest, end)
	if want := before + abilities() + end[1:] + after; string(text) != want {
		if !*update {
			t.Fatal("the table of processors in the guide is not what they can do: run `make golden` and review the diff")
		}
		if err := os.WriteFile(guide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// abilities is the table.
func abilities() string {
	var table strings.Builder
	table.WriteString("| ability |")
	for _, one := range processors() {
		fmt.Fprintf(&table, " %s |", one.name)
	}
	table.WriteString("\n| --- |" + strings.Repeat(" --- |", len(processors())) + "\n")
	for _, ability := range billing.Abilities() {
		fmt.Fprintf(&table, "| `%s` |", ability)
		for _, one := range processors() {
			can := "no"
			if slices.Contains(one.by.Abilities(), ability) {
				can = "yes"
			}
			fmt.Fprintf(&table, " %s |", can)
		}
		table.WriteString("\n")
	}
	return table.String()
}
