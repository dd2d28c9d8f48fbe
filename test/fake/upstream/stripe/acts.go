package stripe

// Act does what the buyer of a page, their bank, time or the seller in the dashboard does.
func (s *Server) Act(page, name string) {
	s.T.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	session := s.session(page)
	act, known := map[string]func(object){
		"pay": s.pay, "fail": s.fail, "expire": s.expire, "renew": func(o object) { s.renew(o, true) },
		"fail-renewal": func(o object) { s.renew(o, false) }, "pay-due": s.payDue, "end": func(o object) { s.end(s.sub(o)) },
		"dispute": func(o object) { s.dispute(o, "needs_response") }, "win": func(o object) { s.dispute(o, "won") },
		"lose": func(o object) { s.dispute(o, "lost") }, "refund": s.giveBack, "fail-refund": s.takeBack,
	}[name]
	if !known {
		s.T.Fatalf("stripe has no %s", name)
	}
	act(session)
}

func (s *Server) sub(session object) object { return s.Objects[session["subscription"].(string)] }

func (s *Server) expire(session object) {
	session["status"], session["url"] = "expired", nil
	s.tell("checkout.session.expired", session)
}

// fail lets an attempt to pay fail, after which the page stays open.
func (s *Server) fail(session object) {
	if session["mode"] == "subscription" {
		return
	}
	tried := s.intent(session, session["amount_total"].(int64), false)
	session["payment_intent"] = tried["id"]
	s.tell("payment_intent.payment_failed", tried)
}

// intent makes a payment, which succeeds or not.
func (s *Server) intent(session object, sum int64, pays bool) object {
	made := s.put("pi", object{
		"object": "payment_intent", "amount": sum, "amount_received": 0, "currency": session["currency"], "customer": session["customer"],
		"status": "requires_payment_method", "metadata": object{}, "latest_charge": nil,
		"last_payment_error": object{"type": "card_error", "code": "card_declined", "message": "Your card was declined."},
	})
	if pays {
		s.succeed(made)
	}
	return made
}

func (s *Server) succeed(intent object) {
	charge := s.put("ch", object{
		"object": "charge", "amount": intent["amount"], "currency": intent["currency"], "payment_intent": intent["id"], "disputed": false,
		"status": "succeeded", "+refunds": []string{},
	})
	intent["status"], intent["amount_received"], intent["latest_charge"], intent["last_payment_error"] = "succeeded", s.Charged(intent["amount"].(int64)), charge["id"], nil
	s.tell("payment_intent.succeeded", intent)
	s.tell("charge.succeeded", charge)
}

func (s *Server) pay(session object) {
	s.total(session)
	session["status"], session["payment_status"], session["url"] = "complete", "paid", nil
	if session["customer"] == nil {
		session["customer"] = s.put("cus", object{"object": "customer"})["id"]
	}
	now := s.Now().Unix()
	if session["mode"] == "subscription" {
		price := s.Objects[session["+price"].(string)]
		status, until, trial := "active", now+days(price), any(nil)
		if n := session["+trial"].(int64); n > 0 {
			status, until = "trialing", now+n*day
			trial = until
		}
		item := s.put("si", object{"object": "subscription_item", "price": s.expanded(price, nil), "quantity": session["+quantity"], "current_period_start": now, "current_period_end": until})
		sub := s.put("sub", object{
			"object": "subscription", "status": status, "customer": session["customer"], "currency": session["currency"], "metadata": session["metadata"],
			"cancel_at_period_end": false, "cancel_at": nil, "canceled_at": nil, "ended_at": nil, "trial_end": trial, "pause_collection": nil,
			"items": object{"object": "list", "data": []any{item}, "has_more": false, "url": "/v1/subscription_items"},
		})
		session["subscription"] = sub["id"]
		s.tell("customer.subscription.created", sub)
	}
	s.bill(session, now, until(session, s), true)
	s.tell("checkout.session.completed", session)
}

const day = 24 * 60 * 60

func days(price object) int64 {
	if price["interval"] == "year" {
		return 365 * day
	}
	return 30 * day
}

func until(session object, s *Server) int64 {
	if session["mode"] != "subscription" {
		return s.Now().Unix()
	}
	return item(s.sub(session))["current_period_end"].(int64)
}

func item(sub object) object { return sub["items"].(object)["data"].([]any)[0].(object) }

// bill writes an invoice over a period, and pays it or fails to.
func (s *Server) bill(session object, from, until int64, pays bool) {
	total := session["amount_total"].(int64)
	bill := s.put("in", object{
		"object": "invoice", "status": "open", "currency": session["currency"], "customer": session["customer"], "subtotal": session["amount_subtotal"],
		"total": total, "total_discount_amounts": []any{object{"amount": session["total_details"].(object)["amount_discount"]}}, "total_taxes": []any{},
		"number": "STRIPE-" + session["id"].(string), "status_transitions": object{"finalized_at": s.Now().Unix(), "paid_at": nil},
		"metadata": session["metadata"], "parent": nil, "+payments": []string{}, "+subscription": session["subscription"],
		"lines": object{"object": "list", "data": []any{object{
			"object": "line_item", "description": "Table", "quantity": session["+quantity"], "amount": session["amount_subtotal"],
			"period": object{"start": from, "end": until},
		}}, "has_more": false, "url": "/"},
	})
	bill["invoice_pdf"] = s.HTTP.URL + "/pdf/" + bill["id"].(string)
	if session["subscription"] != nil {
		bill["parent"] = object{"type": "subscription_details", "subscription_details": object{"subscription": session["subscription"], "metadata": session["metadata"]}}
	} else {
		session["invoice"] = bill["id"]
	}
	if total > 0 {
		tried := s.intent(session, total, pays)
		link := s.put("inpay", object{
			"object": "invoice_payment", "invoice": bill["id"], "status": "open", "+payment_intent": tried["id"],
			"payment": object{"type": "payment_intent", "payment_intent": tried["id"]},
		})
		bill["+payments"] = []string{link["id"].(string)}
		if session["subscription"] == nil {
			session["payment_intent"] = tried["id"]
		}
	}
	if pays {
		s.markPaid(bill)
		return
	}
	s.tell("invoice.payment_failed", bill)
}

func (s *Server) markPaid(bill object) {
	bill["status"], bill["status_transitions"].(object)["paid_at"] = "paid", s.Now().Unix()
	s.tell("invoice.paid", bill)
}

// renew begins the next period; a canceled subscription ends in place of that.
func (s *Server) renew(session object, pays bool) {
	sub := s.sub(session)
	if sub["cancel_at_period_end"] == true {
		s.end(sub)
		return
	}
	held := item(sub)
	from := held["current_period_end"].(int64)
	held["current_period_start"], held["current_period_end"] = from, from+days(held["price"].(object))
	session["+trial"], session["+quantity"], session["+price"] = int64(0), held["quantity"], held["price"].(object)["id"]
	charged := object{}
	for name, value := range session {
		charged[name] = value
	}
	s.total(charged)
	sub["status"] = "active"
	if !pays {
		sub["status"] = "past_due"
	}
	s.bill(charged, from, held["current_period_end"].(int64), pays)
	s.tell("customer.subscription.updated", sub)
}

func (s *Server) payDue(session object) {
	for _, bill := range s.all("invoice", object{"status": "open", "+subscription": session["subscription"]}) {
		link := s.Objects[bill["+payments"].([]string)[0]]
		s.succeed(s.Objects[link["+payment_intent"].(string)])
		s.markPaid(bill)
	}
	sub := s.sub(session)
	sub["status"] = "active"
	s.tell("customer.subscription.updated", sub)
}

// paid is the last payment of a sale that succeeded.
func (s *Server) paid(session object) object {
	for _, one := range s.all("payment_intent", object{"customer": session["customer"], "status": "succeeded"}) {
		return one
	}
	s.T.Fatal("nothing was paid")
	return nil
}

func (s *Server) dispute(session object, status string) {
	paid := s.paid(session)
	charge := s.Objects[paid["latest_charge"].(string)]
	charge["disputed"] = true
	for _, one := range s.all("dispute", object{"payment_intent": paid["id"]}) {
		one["status"] = status
		s.tell("charge.dispute.closed", one)
		return
	}
	s.tell("charge.dispute.created", s.put("dp", object{
		"object": "dispute", "status": status, "amount": paid["amount"], "currency": paid["currency"], "charge": charge["id"], "payment_intent": paid["id"],
	}))
}

// takeBack has the last refund fail after it succeeded: the bank of the buyer sent it back.
func (s *Server) takeBack(session object) {
	for _, one := range s.all("refund", object{"payment_intent": s.paid(session)["id"], "status": "succeeded"}) {
		one["status"], one["failure_reason"] = "failed", "lost_or_stolen_card"
		s.tell("refund.failed", one)
		return
	}
	s.T.Error("nothing was refunded")
}

// giveBack refunds what is left of the last payment, in the dashboard.
func (s *Server) giveBack(session object) {
	if status, answer := s.createRefund(form{"payment_intent": {s.paid(session)["id"].(string)}}); status != 200 {
		s.T.Errorf("refund in the dashboard: %v", answer)
	}
}

// Move has the subscription of a page be one of what another page sells, as the seller in the dashboard and the buyer in the portal can.
func (s *Server) Move(page, to string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	sub := s.sub(s.session(page))
	item(sub)["price"] = s.expanded(s.Objects[s.session(to)["+price"].(string)], nil)
	s.tell("customer.subscription.updated", sub)
}
