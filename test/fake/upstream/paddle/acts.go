package paddle

import (
	"fmt"
	"strings"
	"time"
)

// Act does what the buyer of a page, their bank, time or the seller in the dashboard does.
func (s *Server) Act(page, name string) {
	s.T.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	act, known := map[string]func(object){
		"pay": s.pay, "fail": s.fail, "expire": s.expire, "renew": func(o object) { s.renew(o, true) },
		"fail-renewal": func(o object) { s.renew(o, false) }, "pay-due": s.payDue, "end": func(o object) { s.end(s.sub(o)) },
		"dispute": func(o object) { s.dispute(o, "chargeback") }, "win": func(o object) { s.dispute(o, "chargeback_reverse") },
		// The money went back with the chargeback, and nothing more comes of it.
		"lose": func(object) {}, "refund": s.giveBack,
		// What Paddle approved stays.
		"fail-refund": func(object) {},
	}[name]
	if !known {
		s.T.Fatalf("paddle has no %s", name)
	}
	act(s.sale(page))
}

func (s *Server) sub(sale object) object { return s.Objects[sale["subscription_id"].(string)] }

// expire is what the seller can do with a page that nobody paid.
func (s *Server) expire(sale object) {
	sale["status"] = "canceled"
	s.tell("transaction.canceled", sale)
}

func (s *Server) fail(sale object) {
	sale["status"] = "ready"
	s.attempt(sale, false)
	s.tell("transaction.payment_failed", sale)
}

// attempt adds an attempt to pay, before those that were made.
func (s *Server) attempt(of object, pays bool) {
	s.Made++
	one := object{
		"payment_attempt_id": fmt.Sprintf("attempt-%d", s.Made), "amount": of["details"].(object)["totals"].(object)["grand_total"], "status": "error",
		"error_code": "declined", "created_at": s.stamp(), "captured_at": nil,
	}
	if pays {
		if s.Short != 0 {
			one["amount"] = fmt.Sprint(s.Short)
		}
		one["status"], one["error_code"], one["captured_at"] = "captured", nil, s.stamp()
	}
	of["payments"] = append([]any{one}, of["payments"].([]any)...)
}

func (s *Server) pay(sale object) {
	s.total(sale)
	if sale["customer_id"] == nil {
		sale["customer_id"] = s.put("ctm", object{"email": "buyer@example.com", "name": nil, "status": "active"})["id"]
	}
	sale["status"] = "ready"
	s.tell("transaction.ready", sale)
	sale["billed_at"], sale["status"] = s.stamp(), "paid"
	if whole(sale["details"].(object)["totals"].(object)["grand_total"]) > 0 {
		s.attempt(sale, true)
	}
	s.tell("transaction.paid", sale)
	item := sale["items"].([]any)[0].(object)
	price := item["price"].(object)
	if price["billing_cycle"] != nil {
		now := s.Now()
		status, until, trial := "active", now.Add(cycle(price)), any(nil)
		if tried, ok := price["trial_period"].(object); ok {
			status, until = "trialing", now.Add(time.Duration(tried["frequency"].(float64))*day)
			trial = object{"starts_at": stampOf(now), "ends_at": stampOf(until)}
		}
		span := object{"starts_at": stampOf(now), "ends_at": stampOf(until)}
		sub := s.put("sub", object{
			"status": status, "customer_id": sale["customer_id"], "currency_code": sale["currency_code"], "custom_data": sale["custom_data"],
			"current_billing_period": span, "canceled_at": nil, "scheduled_change": nil,
			"items": []any{object{"status": "active", "quantity": item["quantity"], "price": price, "trial_dates": trial}},
		})
		if by, ok := s.Objects[str(sale["discount_id"])]; ok && by["recur"] == true {
			sub["+discount"] = by["id"]
		}
		sale["subscription_id"], sale["billing_period"] = sub["id"], span
		s.tell("subscription.created", sub)
	}
	s.markPaid(sale)
}

func (s *Server) markPaid(of object) {
	of["status"], of["invoice_number"] = "completed", "PADDLE-"+of["id"].(string)[20:]
	s.tell("transaction.completed", of)
}

const day = 24 * time.Hour

func cycle(price object) time.Duration {
	if price["billing_cycle"].(object)["interval"] == "year" {
		return 365 * day
	}
	return 30 * day
}

// renew begins the next period; a subscription that is to be canceled ends in place of that.
func (s *Server) renew(sale object, pays bool) {
	sub := s.sub(sale)
	if sub["scheduled_change"] != nil {
		s.end(sub)
		return
	}
	item := sub["items"].([]any)[0].(object)
	from, _ := time.Parse(time.RFC3339Nano, sub["current_billing_period"].(object)["ends_at"].(string))
	span := object{"starts_at": stampOf(from), "ends_at": stampOf(from.Add(cycle(item["price"].(object))))}
	charged := s.put("txn", object{
		"customer_id": sub["customer_id"], "custom_data": sub["custom_data"], "currency_code": sub["currency_code"], "origin": "subscription_recurring",
		"subscription_id": sub["id"], "invoice_number": nil, "collection_mode": "automatic", "discount_id": sub["+discount"], "billing_period": span,
		"payments": []any{}, "billed_at": s.stamp(), "checkout": nil, "items": []any{object{"price": item["price"], "quantity": item["quantity"]}},
	})
	s.total(charged)
	s.attempt(charged, pays)
	sub["current_billing_period"], sub["status"] = span, "active"
	if pays {
		s.markPaid(charged)
		s.tell("subscription.updated", sub)
		return
	}
	charged["status"], sub["status"] = "past_due", "past_due"
	s.tell("transaction.past_due", charged)
	s.tell("subscription.past_due", sub)
}

func (s *Server) payDue(sale object) {
	sub := s.sub(sale)
	for _, one := range s.all("txn", object{"status": "past_due", "subscription_id": sub["id"]}) {
		s.attempt(one, true)
		s.markPaid(one)
	}
	sub["status"] = "active"
	s.tell("subscription.updated", sub)
}

// last is the last transaction of a sale that was paid.
func (s *Server) last(sale object) object {
	if sale["subscription_id"] != nil {
		for _, one := range s.all("txn", object{"status": "completed", "subscription_id": sale["subscription_id"]}) {
			return one
		}
	}
	return sale
}

// dispute is a chargeback, or its end, which Paddle adjusts the transaction by itself for.
func (s *Server) dispute(sale object, action string) {
	of := s.last(sale)
	for _, one := range s.all("adj", object{"transaction_id": of["id"], "action": "chargeback"}) {
		one["status"] = "reversed"
	}
	s.adjust(object{"transaction_id": of["id"], "reason": "disputed by the bank"}, action, "approved")
}

// giveBack refunds what is left of the last payment, in the dashboard.
func (s *Server) giveBack(sale object) {
	if got := s.adjust(object{"transaction_id": s.last(sale)["id"], "reason": "in the dashboard"}, "refund", "pending_approval"); got.status >= 400 {
		s.T.Errorf("refund in the dashboard: %v", got.data)
	}
}

// Move has the subscription of a page be one of what another page sells, as the seller in the dashboard can.
func (s *Server) Move(page, to string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	sub := s.sub(s.sale(page))
	item := sub["items"].([]any)[0].(object)
	item["price"] = s.sale(to)["items"].([]any)[0].(object)["price"]
	s.tell("subscription.updated", sub)
}

// sale is the transaction of a page.
func (s *Server) sale(page string) object {
	_, id, _ := strings.Cut(page, "?_ptxn=")
	found := s.Objects[id]
	if found == nil {
		s.T.Fatalf("there is no page %s", page)
	}
	return found
}
