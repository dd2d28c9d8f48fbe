package commerce_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// What a sale gives beside the license comes and goes with it: the role in the workspace that
// sells, and the features.
func TestASaleGivesARoleAndFeatures(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.seller.Do("PRODUCT.UPDATE", P{"product_id": s.product, "features": P{"role": "owner"}}).Fails(fault.Validation)
		s.seller.Do("PRODUCT.UPDATE", P{"product_id": s.product, "features": P{"role": "member", "export.pdf": true}}).OK()
		members := func() int {
			return len(s.seller.Do("TEAM.LIST_MEMBERS", P{"org_id": s.seller.OrgID}).OK().List("items"))
		}
		works := func() bool {
			return s.seller.Do("PERMISSION.CHECK", P{"user_id": s.buyer.UserID, "resource": "members", "action": "read"}).OK().Data["allowed"] == true
		}
		source := func() any {
			found, _ := s.buyer.Do("FEATURE.EVALUATE", P{"product_id": s.product}).OK().Data["features"].(P)["export.pdf"].(P)
			return found["source"]
		}
		id, page := s.begin(s.buyer, P{"price_id": s.monthly})
		if members() != 1 || source() != nil {
			t.Fatal("something is given before it is paid")
		}
		s.Act(page, "pay")
		if members() != 2 || !works() || source() != "license" {
			t.Errorf("after the payment there are %d members, and the feature comes by %v", members(), source())
		}
		s.seller.Do("LICENSE.REVOKE", P{"license_id": s.checkout(id).String("license.id")}).OK()
		if source() != "subscription" {
			t.Errorf("without the license, the feature comes by %v", source())
		}
		_, other := s.begin(s.buyer, P{"price_id": s.once})
		s.Act(other, "pay")
		invoice := s.buyer.Do("BILLING.INVOICE_LIST", P{"status": "paid"}).OK().List("items")[0]["id"]
		s.seller.Do("BILLING.REFUND", P{"invoice_id": invoice}).OK()
		if !works() || members() != 2 {
			t.Error("a refund of one sale takes the role that another gives")
		}
		s.later(31)
		s.Act(page, "fail-renewal")
		if !works() || source() != "subscription" {
			t.Errorf("in the days of grace, the feature comes by %v", source())
		}
		s.later(8)
		if works() || source() != nil {
			t.Errorf("after them, the feature comes by %v", source())
		}
		s.Act(page, "pay-due")
		if !works() || source() != "subscription" {
			t.Errorf("once all is paid, the feature comes by %v", source())
		}
		s.seller.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": s.checkout(id).String("subscription.id"), "at_period_end": false}).OK()
		if members() != 1 || source() != nil {
			t.Errorf("after the end there are %d members, and the feature comes by %v", members(), source())
		}
	})
}

// The subscriptions of who goes are ended at the processor; what was bought by an account that
// is merged into another belongs to that.
func TestSubscriptionsOfDeletedAccounts(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		bought := func(who *harness.Actor, more P) string {
			call := P{"price_id": s.monthly}
			for name, value := range more {
				call[name] = value
			}
			_, page := s.begin(who, call)
			s.Act(page, "pay")
			return s.seller.Do("BILLING.SUBSCRIPTION_LIST", P{"org_id": s.seller.OrgID}).OK().List("items")[0]["id"].(string)
		}
		status := func(id string) string {
			s.Settle()
			return s.seller.Do("BILLING.SUBSCRIPTION_GET", P{"subscription_id": id}).OK().String("subscription.status")
		}
		gone := s.SignUp("gone@example.com")
		first := bought(gone, nil)
		gone.Do("USER.DELETE", P{"password": harness.Password}).OK()
		if got := status(first); got != "ended" {
			t.Errorf("the subscription of a deleted account is %s", got)
		}
		made := s.buyer.Do("TEAM.CREATE", P{"name": "Team", "slug": "team"}).OK().String("organization.id")
		second := bought(s.buyer, P{"org_id": made})
		s.buyer.Do("TEAM.DELETE", P{"org_id": made, "confirm_slug": "team"}).OK()
		if got := status(second); got != "ended" {
			t.Errorf("the subscription of a deleted workspace is %s", got)
		}
		source := s.SignUp("source@example.com")
		third := bought(source, nil)
		moved := s.Superadmin().Do("USER.MERGE", P{"source_user_id": source.UserID, "target_user_id": s.buyer.UserID}).OK()
		if got := status(third); got != "active" || moved.Int("moved.customers") != 1 {
			t.Errorf("the subscription of a merged account is %s: %v", got, moved.Data)
		}
		if got := s.buyer.Do("BILLING.SUBSCRIPTION_GET", P{"subscription_id": third}).OK(); got.String("subscription.user_id") != s.buyer.UserID {
			t.Errorf("it belongs to %v", got.Data)
		}
	})
}

// A suspended workspace sells nothing, and nobody sees to its sales for it, by whatever command;
// what was bought of it goes on, and is its buyer's to end.
func TestASuspendedWorkspaceSellsNothing(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 2})
		s.Act(page, "pay")
		sub := s.checkout(id).String("subscription.id")
		invoice := s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]["id"]
		customer := s.buyer.Do("BILLING.CUSTOMER_GET", nil).OK().String("customer.id")
		theirs := map[string]P{
			"BILLING.CHECKOUT_GET": {"checkout_id": id}, "BILLING.INVOICE_GET": {"invoice_id": invoice}, "BILLING.SUBSCRIPTION_GET": {"subscription_id": sub},
			"BILLING.SUBSCRIPTION_UPDATE": {"subscription_id": sub, "quantity": 9}, "BILLING.SUBSCRIPTION_CANCEL": {"subscription_id": sub},
			"BILLING.SUBSCRIPTION_RESUME": {"subscription_id": sub}, "BILLING.USAGE_GET": {"subscription_id": sub},
			"BILLING.CUSTOMER_UPDATE": {"customer_id": customer, "name": "Mallory"},
		}
		s.Superadmin().Do("TEAM.DISABLE", P{"org_id": s.seller.OrgID}).OK()
		for command, params := range theirs {
			if got := s.seller.Do(command, params); got.Failure == nil || got.Failure.Code != fault.NotFound && got.Failure.Code != fault.Denied {
				t.Errorf("%s by the seller: %v, %v", command, got.Data, got.Failure)
			}
		}
		s.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "success_url": "http://localhost:3000/done"}).Fails(fault.Denied)
		if got := s.checkout(id); got.String("license.status") != "active" {
			t.Errorf("bought before, and given is %v", got.Data)
		}
		s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub}).OK()
		s.Superadmin().Do("TEAM.ENABLE", P{"org_id": s.seller.OrgID}).OK()
		s.seller.Do("BILLING.SUBSCRIPTION_RESUME", P{"subscription_id": sub}).OK()
		s.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "success_url": "http://localhost:3000/done"}).OK()
	})
}
