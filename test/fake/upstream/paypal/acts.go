package paypal

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse.internal/test/fake/upstream/keeping"
)

// Act does what the buyer of a page, time or the seller at PayPal does.
func (s *Server) Act(page, name string) {
	s.T.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	act, known := map[string]func(object){
		"pay": s.pay, "approve": s.approve, "fail": func(object) {}, "expire": s.expire, "renew": func(o object) { s.renew(o, true) },
		"fail-renewal": func(o object) { s.renew(o, false) }, "pay-due": s.payDue, "end": func(o object) { s.become(o, "CANCELLED", "by the buyer") },
		"pause": func(o object) { s.become(o, "SUSPENDED", "by the seller") }, "dispute": s.dispute, "win": func(o object) { s.resolve(o, "RESOLVED_SELLER_FAVOUR") },
		"lose": func(o object) { s.resolve(o, "RESOLVED_BUYER_FAVOUR") }, "refund": s.giveBack, "fail-refund": s.takeBack,
	}[name]
	if !known {
		s.T.Fatalf("paypal has no %s", name)
	}
	act(s.page(page))
}

// expire is what becomes of a page that nobody pays on in time: it is there no longer, of which
// nobody is told.
func (s *Server) expire(sale object) { delete(s.Objects, sale["id"].(string)) }

// pay approves on a page. An order is charged by its seller then, a subscription by itself.
func (s *Server) pay(sale object) {
	if sale["+kind"] == "subscription" {
		s.approve(sale)
		s.become(sale, "ACTIVE", nil)
		s.starts(sale)
		return
	}
	if sale["status"] != "PAYER_ACTION_REQUIRED" {
		s.T.Fatalf("%v is %v", sale["id"], sale["status"])
	}
	unit := sale["purchase_units"].([]any)[0].(object)
	if s.Sum != 0 {
		unit["amount"] = like(unit["amount"], s.Sum)
	}
	if s.Currency != "" {
		unit["amount"].(object)["currency_code"] = strings.ToUpper(s.Currency)
	}
	sale["status"], sale["payer"] = "APPROVED", object{"payer_id": "QYR5Z8XDVJNXQ"}
	s.tell("CHECKOUT.ORDER.APPROVED", s.shown(sale))
}

// approve is what a buyer does before a subscription is active.
func (s *Server) approve(sub object) {
	if sub["status"] != "APPROVAL_PENDING" {
		s.T.Fatalf("%v is %v", sub["id"], sub["status"])
	}
	sub["status"], sub["status_update_time"] = "APPROVED", s.stamp()
	delete(sub, "links")
}

// starts begins to charge a subscription, or lets its trial begin.
func (s *Server) starts(sub object) {
	start := s.when(sub["start_time"])
	none := like(s.price(sub), 0)
	sub["billing_info"] = object{"outstanding_balance": none, "failed_payments_count": 0, "next_billing_time": sub["start_time"]}
	if !start.After(s.Now()) {
		sub["billing_info"].(object)["next_billing_time"] = s.stamp()
		s.renew(sub, true)
	}
}

func (s *Server) when(value any) time.Time {
	at, err := time.Parse(time.RFC3339, keeping.Text(value))
	if err != nil {
		s.T.Fatal(err)
	}
	return at
}

// renew charges a subscription for the next period, when that begins or later.
func (s *Server) renew(sub object, pays bool) {
	if sub["status"] != "ACTIVE" {
		return
	}
	info := sub["billing_info"].(object)
	next := s.when(info["next_billing_time"])
	at := next
	if now := s.Now(); now.After(at) {
		at = now
	}
	info["next_billing_time"] = moment(s.every(sub).Next(next, next))
	s.charge(sub, s.price(sub), at, pays)
}

func (s *Server) charge(sub, due object, at time.Time, pays bool) {
	info := sub["billing_info"].(object)
	made := s.put("transaction", s.token17(), object{
		"status": "COMPLETED", "time": moment(at), "+subscription": sub["id"], "amount_with_breakdown": object{"gross_amount": due, "tax_amount": like(due, 0)},
	})
	if !pays {
		made["status"], made["status_details"] = "DECLINED", object{"reason": "OTHER"}
		info["failed_payments_count"], info["outstanding_balance"] = 1, due
		s.tell("BILLING.SUBSCRIPTION.PAYMENT.FAILED", s.shown(sub))
		return
	}
	info["failed_payments_count"], info["outstanding_balance"], info["last_payment"] = 0, like(due, 0), object{"amount": due, "time": moment(at)}
	s.tell("PAYMENT.SALE.COMPLETED", s.shown(made))
}

// payDue charges what is outstanding.
func (s *Server) payDue(sub object) {
	if due := sub["billing_info"].(object)["outstanding_balance"].(object); minor(due) > 0 {
		s.charge(sub, due, s.Now(), true)
	}
}

// last is the last charge of a sale that was paid.
func (s *Server) last(sale object) object {
	kind, of := "capture", "+order"
	if sale["+kind"] == "subscription" {
		kind, of = "transaction", "+subscription"
	}
	for _, one := range s.All(object{"+kind": kind, of: sale["id"]}) {
		if one["status"] != "DECLINED" {
			return one
		}
	}
	s.T.Fatal("nothing was paid")
	return nil
}

func (s *Server) dispute(sale object) {
	of, custom := s.last(sale), sale["custom_id"]
	if sale["+kind"] == "order" {
		custom = sale["purchase_units"].([]any)[0].(object)["custom_id"]
	}
	made := s.put("dispute", s.Name("PP-D-%05d"), object{
		"status": "UNDER_REVIEW", "reason": "UNAUTHORISED", "dispute_life_cycle_stage": "CHARGEBACK", "+charge": of["id"],
		"disputed_transactions": []object{{"seller_transaction_id": of["id"], "custom": custom}},
	})
	made["dispute_id"] = made["id"]
	s.tell("CUSTOMER.DISPUTE.CREATED", s.shown(made))
}

func (s *Server) resolve(sale object, outcome string) {
	for _, one := range s.All(object{"+kind": "dispute", "+charge": s.last(sale)["id"]}) {
		one["status"], one["dispute_outcome"] = "RESOLVED", object{"outcome_code": outcome}
		s.tell("CUSTOMER.DISPUTE.RESOLVED", s.shown(one))
	}
}

// takeBack has the last refund fail, of which PayPal tells nothing.
func (s *Server) takeBack(sale object) {
	of := s.last(sale)
	for _, one := range s.All(object{"+kind": "refund", "+charge": of["id"], "status": "COMPLETED"}) {
		one["status"], of["status"] = "FAILED", "COMPLETED"
		return
	}
	s.T.Error("nothing was refunded")
}

// giveBack refunds what is left of the last payment, at PayPal.
func (s *Server) giveBack(sale object) {
	if status, body := s.refund(s.last(sale), object{}); status >= http.StatusBadRequest {
		s.T.Errorf("refund at PayPal: %v", body)
	}
}

// Move has the subscription of a page be one of what another page sells, as the buyer who agreed to the seller's revision of it can.
func (s *Server) Move(page, to string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	sub := s.page(page)
	sub["plan_id"] = s.page(to)["plan_id"]
	s.tell("BILLING.SUBSCRIPTION.UPDATED", s.shown(sub))
}

// page is what is sold on a page.
func (s *Server) page(address string) object {
	at, err := url.Parse(address)
	if err != nil {
		s.T.Fatal(err)
	}
	found := s.Objects[at.Query().Get("token")+at.Query().Get("ba_token")]
	if found == nil {
		s.T.Fatalf("there is no page %s", address)
	}
	return found
}
