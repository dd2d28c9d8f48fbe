package payment

import (
	"testing"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// An event about sales of several workspaces is always that of the first one.
func TestSellerOfFacts(t *testing.T) {
	t.Parallel()
	around := map[billing.CheckoutID]saleContext{}
	for _, one := range []string{"a", "b", "c"} {
		around[billing.CheckoutID("sale_"+one)] = saleContext{product: product.Snapshot{OrgID: workspace.ID("org_" + one)}}
	}
	for name, c := range map[string]struct {
		sales []billing.CheckoutID
		want  workspace.ID
	}{
		"no facts":          {nil, ""},
		"of nobody":         {[]billing.CheckoutID{"foreign"}, ""},
		"of several":        {[]billing.CheckoutID{"sale_b", "sale_a", "sale_c", "sale_b"}, "org_b"},
		"first of somebody": {[]billing.CheckoutID{"foreign", "sale_c", "sale_a"}, "org_c"},
	} {
		var facts []billing.Fact
		for _, id := range c.sales {
			facts = append(facts, billing.Fact{CheckoutID: id})
		}
		for range 20 { // as often as the order of a map could differ
			if got := seller(facts, around); got != c.want {
				t.Errorf("%s: seller = %q, want %q", name, got, c.want)
			}
		}
	}
}
