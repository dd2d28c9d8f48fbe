package polar

import "time"

// Act does what the buyer of a page, their bank, time or the seller in the dashboard does.
func (s *Server) Act(page, name string) {
	s.T.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	of := s.sale(page)
	act, known := map[string]func(object){
		"pay": s.pay, "fail": s.fail, "expire": s.expire, "renew": func(o object) { s.renew(s.sub(o), true) },
		"fail-renewal": func(o object) { s.renew(s.sub(o), false) }, "pay-due": s.payDue, "end": func(o object) { s.end(s.sub(o)) },
		"dispute": func(o object) { s.dispute(o, "needs_response") }, "win": func(o object) { s.dispute(o, "won") },
		"lose": func(o object) { s.dispute(o, "lost") }, "refund": s.giveBack, "fail-refund": s.takeBack,
	}[name]
	if !known {
		s.T.Fatalf("polar has no %s", name)
	}
	act(of)
}

// Tax has a tax of a share in percent on top of all orders of a page from now on.
func (s *Server) Tax(page string, percent int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.sale(page)["+tax"] = percent
}

func (s *Server) sub(checkout object) object {
	for _, one := range s.all("subscriptions", object{"checkout_id": checkout["id"]}) {
		return one
	}
	return nil
}

func (s *Server) expire(checkout object) {
	checkout["status"] = "expired"
	s.tell(s.touch(checkout), "checkout.expired")
}

// fail lets an attempt to pay fail, after which the page stays open.
func (s *Server) fail(checkout object) {
	s.meet(checkout)
	checkout["status"] = "confirmed"
	s.tell(s.touch(checkout), "checkout.updated")
	s.attempt(checkout, nil, number(checkout["total_amount"]), false)
	checkout["status"] = "open"
	s.tell(s.touch(checkout), "checkout.updated")
}

// meet makes the customer of a checkout that is bound to none: whoever has the address that
// is typed, or a new one.
func (s *Server) meet(checkout object) {
	if checkout["customer_id"] != nil {
		return
	}
	const typed = "typed@example.com"
	for _, one := range s.all("customers", object{"email": typed}) {
		checkout["customer_id"] = one["id"]
		return
	}
	checkout["customer_id"] = s.put("customers", object{
		"email": typed, "external_id": checkout["external_customer_id"], "type": "individual", "metadata": object{},
	})["id"]
}

// attempt pays a sum for a checkout or an order, nil for none, or fails to.
func (s *Server) attempt(checkout, order object, sum int64, pays bool) {
	made := object{
		"processor": "stripe", "status": "failed", "amount": sum, "currency": checkout["currency"], "method": "card", "decline_reason": "card_declined",
		"decline_message": "Your card was declined.", "checkout_id": nil, "order_id": nil, "+customer_id": checkout["customer_id"],
	}
	if order == nil || order["checkout_id"] != nil {
		made["checkout_id"] = checkout["id"]
	}
	if order != nil {
		made["order_id"] = order["id"]
	}
	if pays {
		made["amount"] = s.Charged(sum)
		made["status"], made["decline_reason"], made["decline_message"] = "succeeded", nil, nil
	}
	s.put("payments", made)
}

func (s *Server) pay(checkout object) {
	s.meet(checkout)
	s.price(checkout)
	checkout["status"] = "confirmed"
	s.tell(s.touch(checkout), "checkout.updated")
	product := s.Objects[text(checkout["product_id"])]
	if product["is_recurring"] != true {
		s.order(checkout, nil, number(checkout["amount"]), number(checkout["discount_amount"]), "purchase", true)
	} else {
		s.subscribe(checkout, product)
	}
	checkout["status"] = "succeeded"
	s.tell(s.touch(checkout), "checkout.updated")
}

func (s *Server) subscribe(checkout, product object) {
	sub := s.put("subscriptions", object{
		"status": "active", "currency": checkout["currency"], "recurring_interval": product["recurring_interval"], "recurring_interval_count": 1,
		"current_period_start": s.when(), "cancel_at_period_end": false, "canceled_at": nil, "started_at": s.when(), "ends_at": nil, "ended_at": nil,
		"trial_start": nil, "trial_end": nil, "customer_id": checkout["customer_id"], "product_id": product["id"], "discount_id": checkout["discount_id"],
		"checkout_id": checkout["id"], "seats": checkout["seats"], "metadata": checkout["metadata"], "pending_update": nil, "+checkout": checkout,
		"amount": checkout["amount"],
	})
	sub["current_period_end"] = next(sub, s.Now())
	amount := number(checkout["amount"])
	if days := number(checkout["+trial"]); days > 0 {
		sub["status"], sub["trial_start"], sub["trial_end"] = "trialing", s.when(), moment(s.Now().AddDate(0, 0, int(days)))
		sub["current_period_end"], amount = sub["trial_end"], 0
	}
	s.tell(sub, "subscription.created", "subscription.updated", "subscription.active")
	s.order(checkout, sub, amount, s.off(text(checkout["discount_id"]), amount), "subscription_create", true)
}

// next is the end of the period that begins at a time.
func next(sub object, from time.Time) string {
	if sub["recurring_interval"] == "year" {
		return moment(from.AddDate(1, 0, 0))
	}
	return moment(from.AddDate(0, 1, 0))
}

// order writes an order of a checkout, or of its subscription, and pays it or fails to.
func (s *Server) order(checkout, sub object, amount, off int64, why string, pays bool) {
	const percent = 100
	net := amount - off
	tax := net * number(checkout["+tax"]) / percent
	order := object{
		"status": "pending", "paid": false, "subtotal_amount": amount, "discount_amount": off, "net_amount": net, "tax_amount": tax, "total_amount": net + tax,
		"due_amount": net + tax, "applied_balance_amount": int64(0), "refunded_amount": int64(0), "refunded_tax_amount": int64(0), "refundable_amount": net,
		"refundable_tax_amount": tax, "currency": checkout["currency"], "billing_reason": why, "billing_name": "Buyer", "is_invoice_generated": false,
		"invoice_number": "POLAR-0001", "customer_id": checkout["customer_id"], "product_id": checkout["product_id"], "subscription_id": nil,
		"checkout_id": nil, "metadata": checkout["metadata"], "items": []any{object{"label": "Table", "amount": amount, "tax_amount": tax, "proration": false}},
		"+checkout": checkout,
	}
	if sub != nil {
		order["subscription_id"] = sub["id"]
	}
	if why == "purchase" || why == "subscription_create" {
		order["checkout_id"] = checkout["id"]
	}
	s.put("orders", order)
	s.tell(order, "order.created")
	if net+tax > 0 {
		s.attempt(checkout, order, net+tax, pays)
	}
	if pays {
		s.markPaid(order)
		return
	}
	order["next_payment_attempt_at"] = moment(s.Now().AddDate(0, 0, 2))
	s.tell(s.touch(order), "order.updated")
}

func (s *Server) markPaid(order object) {
	order["status"], order["paid"] = "paid", true
	s.tell(s.touch(order), "order.updated", "order.paid")
}

// bill writes an order of a subscription.
func (s *Server) bill(sub object, amount int64, why string, pays bool) {
	s.order(sub["+checkout"].(object), sub, amount, s.off(text(sub["discount_id"]), amount), why, pays)
}

// reprice says what a subscription costs.
func (s *Server) reprice(sub object) {
	sub["amount"] = s.costs(text(sub["product_id"]), number(sub["seats"]))
}

// renew begins the next period; a canceled subscription ends in place of that.
func (s *Server) renew(sub object, pays bool) {
	if sub["cancel_at_period_end"] == true {
		s.end(sub)
		return
	}
	from, err := time.Parse(time.RFC3339Nano, text(sub["current_period_end"]))
	if err != nil {
		s.T.Fatal(err)
	}
	sub["status"], sub["current_period_start"], sub["current_period_end"] = "active", moment(from), next(sub, from)
	s.reprice(sub)
	s.tell(s.touch(sub), "subscription.cycled", "subscription.updated")
	s.bill(sub, number(sub["amount"]), "subscription_cycle", pays)
	if !pays {
		sub["status"] = "past_due"
		s.tell(s.touch(sub), "subscription.updated", "subscription.past_due")
	}
}

func (s *Server) payDue(checkout object) {
	sub := s.sub(checkout)
	for _, one := range s.all("orders", object{"subscription_id": sub["id"], "status": "pending"}) {
		s.attempt(checkout, one, number(one["total_amount"]), true)
		s.markPaid(one)
	}
	sub["status"] = "active"
	s.tell(s.touch(sub), "subscription.updated", "subscription.active")
}

func (s *Server) end(sub object) {
	sub["status"], sub["ended_at"], sub["ends_at"], sub["canceled_at"] = "canceled", s.when(), s.when(), s.when()
	s.tell(s.touch(sub), "subscription.updated", "subscription.canceled", "subscription.revoked")
}

// paid is the last payment of a sale that succeeded, with its order.
func (s *Server) paid(checkout object) (payment, order object) {
	for _, one := range s.all("payments", object{"status": "succeeded"}) {
		of := s.Objects[text(one["order_id"])]
		if from, ok := of["+checkout"].(object); ok && from["id"] == checkout["id"] {
			return one, of
		}
	}
	s.T.Fatal("nothing was paid")
	return nil, nil
}

// dispute begins or decides a dispute, of which Polar tells nothing by hooks. Whoever loses
// one has the subscription ended.
func (s *Server) dispute(checkout object, status string) {
	paid, order := s.paid(checkout)
	found := s.all("disputes", object{"payment_id": paid["id"]})
	if len(found) == 0 {
		found = append(found, s.put("disputes", object{
			"amount": order["net_amount"], "tax_amount": order["tax_amount"], "currency": order["currency"], "order_id": order["id"], "payment_id": paid["id"],
		}))
	}
	s.touch(found[0])["status"] = status
	if sub := s.sub(checkout); sub != nil && status == "lost" {
		s.end(sub)
	}
}

// takeBack has the last refund fail after it succeeded.
func (s *Server) takeBack(checkout object) {
	_, order := s.paid(checkout)
	for _, one := range s.all("refunds", object{"order_id": order["id"], "status": "succeeded"}) {
		one["status"] = "failed"
		s.back(order, one, -1)
		s.tell(s.touch(one), "refund.updated")
		s.tell(s.touch(order), "order.updated")
		return
	}
	s.T.Error("nothing was refunded")
}

// giveBack refunds what is left of the last payment, in the dashboard.
func (s *Server) giveBack(checkout object) {
	_, order := s.paid(checkout)
	if status, answer := s.createRefund(object{"order_id": order["id"], "reason": "other", "amount": order["refundable_amount"]}); status >= 300 {
		s.T.Errorf("refund in the dashboard: %v", answer)
	}
}

// Move has the subscription of a page be one of what another page sells, as the seller in the dashboard and the buyer in the portal can.
func (s *Server) Move(page, to string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	sub := s.sub(s.sale(page))
	sub["product_id"] = s.sale(to)["product_id"]
	s.reprice(sub)
	s.tell(s.touch(sub), "subscription.updated")
}
