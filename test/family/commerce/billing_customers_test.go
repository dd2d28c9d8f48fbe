package commerce_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A customer is seen by themself and by who sells to them, with what they owe.
func TestCustomers(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.buyer.Do("BILLING.CUSTOMER_GET", nil).Fails(fault.NotFound)
		_, page := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(page, "pay")
		own := s.buyer.Do("BILLING.CUSTOMER_GET", nil).OK()
		if own.String("customer.email") != "buyer@example.com" || own.String("customer.seller_org_id") != s.seller.OrgID || len(own.List("balance")) != 0 {
			t.Errorf("the customer is %v", own.Data)
		}
		id, person := own.String("customer.id"), own.String("customer.user_id")
		s.later(31)
		s.Act(page, "fail-renewal")
		for _, params := range []P{{"customer_id": id}, {"user_id": person}} {
			got := s.seller.Do("BILLING.CUSTOMER_GET", params).OK()
			owed := got.List("balance")
			if got.String("customer.id") != id || len(owed) != 1 || owed[0]["amount"] != 1900.0 || owed[0]["currency"] != "EUR" {
				t.Errorf("by %v the seller sees %v", params, got.Data)
			}
		}
		stranger := s.SignUp("stranger@example.com")
		for _, params := range []P{nil, {"customer_id": id}, {"user_id": person}, {"org_id": s.seller.OrgID}, {"org_id": stranger.OrgID}} {
			stranger.Do("BILLING.CUSTOMER_GET", params).Fails(fault.NotFound)
		}
		s.seller.Do("BILLING.CUSTOMER_GET", P{"customer_id": id, "user_id": person}).Fails(fault.Validation).Field("/customer_id")
	})
}
