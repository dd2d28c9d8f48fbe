package paying

import "time"

// moved moves a subscription to another product at the processor, and back: what that gives is
// given, and what the other gave is withdrawn, with the role in the workspace that sells.
func moved(s *Shop, at Remote) {
	policy := func(name string, seats int) string {
		return s.seller.Do("LICENSE.POLICY_CREATE", P{"name": name, "seats": seats}).OK().String("policy.id")
	}
	s.seller.Do("PRODUCT.UPDATE", P{"product_id": s.product, "license_policy_id": policy("Oak", 3), "features": P{"role": "member", "oak": true}}).OK()
	other := s.seller.Do("PRODUCT.CREATE", P{
		"name": "Chair", "slug": "chair", "public": true, "processor": s.Name, "license_policy_id": policy("Ash", 7), "features": P{"role": "admin", "ash": true},
	}).OK().String("product.id")
	dearer := s.price(P{"product_id": other, "interval": "month", "model": "per_seat", "unit_amount": 2900})
	id, page := s.begin(s.buyer, P{"price_id": s.monthly})
	s.do(page, "pay")
	s.gives(id, s.product, 3, "member", "oak")
	_, elsewhere := s.begin(s.SignUp("other@example.com"), P{"price_id": dearer})

	first := s.checkout(id).String("license.id")
	s.moves(at, page, elsewhere)
	s.expect("moved", id, "completed", "active", "active")
	s.gives(id, other, 7, "admin", "ash")
	if got := s.seller.Do("LICENSE.GET", P{"license_id": first}).OK().Data["license"].(P); got["status"] != "revoked" {
		s.t.Errorf("the license of the product before is %v", got)
	}
	sub := s.buyer.Do("BILLING.SUBSCRIPTION_GET", P{"subscription_id": s.checkout(id).String("subscription.id")}).OK()
	if sub.String("product.id") != other || sub.String("price.id") != dearer {
		s.t.Errorf("the subscription is one of %v", sub.Data)
	}
	second := s.checkout(id).String("license.id")
	s.seller.Do("LICENSE.SUSPEND", P{"license_id": second, "reason": "Asked to"}).OK()
	_, back := s.begin(s.SignUp("third@example.com"), P{"price_id": s.monthly})
	s.moves(at, page, back)
	s.expect("moved back, while the seller holds the license", id, "completed", "active", "suspended")
	s.seller.Do("LICENSE.REINSTATE", P{"license_id": s.checkout(id).String("license.id")}).OK()
	s.gives(id, s.product, 3, "member", "oak")
	s.seller.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub.String("subscription.id"), "at_period_end": false}).OK()
	if left := s.roles(); len(left) != 0 {
		s.t.Errorf("after the end the buyer has the roles %v", left)
	}
}

// moves moves a subscription, and takes what is told of it, or else finds it.
func (s *Shop) moves(at Remote, page, to string) {
	s.t.Helper()
	s.Clock.Advance(time.Second)
	at.Move(page, to)
	hooks := s.Upstream.Hooks()
	s.tell(hooks)
	if len(hooks) == 0 {
		s.sync(s.buyer)
	}
}

// gives expects a sale to give a license of a product, its role and its feature, and nothing else.
func (s *Shop) gives(id, product string, seats int, role, feature string) {
	s.t.Helper()
	given := s.seller.Do("LICENSE.GET", P{"license_id": s.checkout(id).String("license.id")}).OK().Data["license"].(P)
	if given["product_id"] != product || given["status"] != "active" || given["seats"] != float64(seats) {
		s.t.Errorf("given is the license %v, want one of %s with %d seats", given, product, seats)
	}
	if got := s.roles(); len(got) != 1 || got[0] != role {
		s.t.Errorf("the roles are %v, want %s", got, role)
	}
	all := s.buyer.Do("FEATURE.EVALUATE", P{"product_id": product}).OK().Data["features"].(P)
	for _, name := range []string{"oak", "ash"} {
		if _, there := all[name]; there != (name == feature) {
			s.t.Errorf("the features are %v, want %s", all, feature)
		}
	}
}

// roles are those of the buyer in the workspace that sells.
func (s *Shop) roles() []any {
	s.t.Helper()
	for _, one := range s.seller.Do("TEAM.LIST_MEMBERS", P{"org_id": s.seller.OrgID}).OK().List("items") {
		if one["user_id"] == s.buyer.UserID {
			return one["roles"].([]any)
		}
	}
	return nil
}
