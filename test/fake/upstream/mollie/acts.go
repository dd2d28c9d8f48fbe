package mollie

import (
	"net/http"
	"path"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/test/fake/upstream/keeping"
)

// Act does what the buyer of a page, their bank, time or the seller does.
func (s *Server) Act(page, name string) {
	s.T.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	act, known := map[string]func(object){
		"pay": s.pay, "fail": s.fail, "expire": s.expire, "renew": func(o object) { s.renew(o, true) }, "fail-renewal": func(o object) { s.renew(o, false) },
		"pay-due": s.payDue, "end": s.end, "suspend": s.suspend, "dispute": s.dispute, "win": s.win, "refund": s.giveBack, "fail-refund": s.takeBack,
		// The money went back with the chargeback, and nothing more comes of it.
		"lose": func(object) {},
	}[name]
	if !known {
		s.T.Fatalf("mollie has no %s", name)
	}
	act(s.sold(page))
}

// fail is an attempt by one method, after which the page offers the others: nobody is told.
func (*Server) fail(object) {}

func (s *Server) expire(sale object) {
	sale["status"], sale["expiredAt"], sale["expiresAt"] = "expired", moment(s.Now()), nil
	s.tell(sale)
}

// pay pays on a page. The first payment of a sequence leaves a mandate.
func (s *Server) pay(sale object) {
	if sale["status"] != "open" {
		s.T.Fatalf("%v is %v", sale["id"], sale["status"])
	}
	if s.Sum != 0 {
		sale["amount"] = like(sale["amount"], s.Sum)
	}
	if s.Short != 0 { // a payment names one amount, which is what was charged
		sale["amount"] = like(sale["amount"], s.Short)
	}
	if s.Currency != "" {
		sale["amount"].(object)["currency"] = strings.ToUpper(s.Currency)
	}
	if sale["sequenceType"] == "first" {
		sale["mandateId"] = "mdt_" + keeping.Text(sale["id"])[3:]
	}
	s.paid(sale)
}

func (s *Server) paid(of object) {
	of["status"], of["method"], of["paidAt"], of["expiresAt"] = "paid", "creditcard", of["createdAt"], nil
	if now := moment(s.Now()); now > keeping.Text(of["paidAt"]) {
		of["paidAt"] = now
	}
	of["amountRefunded"], of["amountRemaining"] = like(of["amount"], 0), of["amount"]
	s.tell(of)
}

// ours are the objects of a kind of one sale, newest first.
func (s *Server) ours(kind string, sale object) (found []object) {
	for _, one := range s.all(kind, object{"customerId": sale["customerId"]}) {
		if marks, ok := one["metadata"].(object); ok && marks["checkout_id"] == sale["metadata"].(object)["checkout_id"] {
			found = append(found, one)
		}
	}
	return found
}

// sub is the subscription of a sale that goes on; nil for none.
func (s *Server) sub(sale object) object {
	for _, one := range s.ours("subscription", sale) {
		if one["status"] == "active" {
			return one
		}
	}
	return nil
}

// charge charges a mandate, by a subscription or by hand.
func (s *Server) charge(of, sale object, at time.Time, pays bool) {
	made := s.put("payment", object{
		"createdAt": moment(at), "amount": of["amount"], "description": of["description"], "metadata": of["metadata"], "webhookUrl": of["webhookUrl"],
		"customerId": sale["customerId"], "mandateId": sale["mandateId"], "sequenceType": "recurring", "status": "pending",
	})
	if of["resource"] == "subscription" {
		made["subscriptionId"] = of["id"]
	}
	if pays {
		s.paid(made)
		return
	}
	made["status"], made["failedAt"] = "failed", moment(s.Now())
	made["details"] = object{"failureReason": "insufficient_funds", "failureMessage": "The card has insufficient funds."}
	s.tell(made)
}

// renew charges a subscription for its next period, on that day or later.
func (s *Server) renew(sale object, pays bool) {
	sub := s.sub(sale)
	if sub == nil {
		return
	}
	next, err := time.Parse(time.DateOnly, keeping.Text(sub["nextPaymentDate"]))
	if err != nil {
		s.T.Fatal(err)
	}
	at := next
	if now := s.Now(); now.After(at) {
		at = now
	}
	s.charge(sub, sale, at, pays)
	every := map[any]billing.Interval{"1 month": billing.Month, "12 months": billing.Year}[sub["interval"]]
	sub["nextPaymentDate"] = every.Next(next, next).Format(time.DateOnly)
}

// payDue is the seller who charges the mandate for what failed, with the metadata of the sale.
func (s *Server) payDue(sale object) {
	for _, one := range s.ours("payment", sale) {
		if one["status"] == "failed" {
			failed, _ := time.Parse(time.RFC3339, keeping.Text(one["createdAt"]))
			s.charge(one, sale, failed.Add(time.Second), true)
			return
		}
	}
}

// end is the seller who cancels a subscription in the dashboard, of which nobody is told.
func (s *Server) end(sale object) { s.cancel(s.sub(sale)) }

// suspend is what becomes of a subscription whose mandate is gone, of which nobody is told.
func (s *Server) suspend(sale object) { s.sub(sale)["status"] = "suspended" }

// last is the last payment of a sale that was paid.
func (s *Server) last(sale object) object {
	for _, one := range s.ours("payment", sale) {
		if one["status"] == "paid" {
			return one
		}
	}
	s.T.Fatal("nothing was paid")
	return nil
}

func (s *Server) dispute(sale object) {
	of := s.last(sale)
	s.put("chargeback", object{"paymentId": of["id"], "amount": of["amount"], "reversedAt": nil})
	of["amountChargedBack"] = of["amount"]
	s.tell(of)
}

// win takes a chargeback back, of which nobody is told.
func (s *Server) win(sale object) {
	of := s.last(sale)
	for _, one := range s.all("chargeback", object{"paymentId": of["id"]}) {
		one["reversedAt"] = moment(s.Now())
	}
	of["amountChargedBack"] = nil
}

// takeBack has the last refund fail: the money is on the balance again.
func (s *Server) takeBack(sale object) {
	of := s.last(sale)
	for _, one := range s.all("refund", object{"paymentId": of["id"]}) {
		if one["status"] == "failed" {
			continue
		}
		one["status"] = "failed"
		left := minor(of["amountRemaining"]) + minor(one["amount"])
		of["amountRemaining"], of["amountRefunded"] = like(of["amount"], left), like(of["amount"], minor(of["amount"])-left)
		s.tell(of)
		return
	}
	s.T.Error("nothing was refunded")
}

// giveBack refunds what is left of the last payment, in the dashboard.
func (s *Server) giveBack(sale object) {
	of := s.last(sale)
	sent := object{"amount": of["amountRemaining"], "description": "in the dashboard", "metadata": nil}
	if status, answer := s.createRefund(of, sent); status >= http.StatusBadRequest {
		s.T.Errorf("refund in the dashboard: %v", answer)
	}
}

// Move has the subscription of a page be one of what another page sells, as the seller can.
func (s *Server) Move(page, to string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	sub, other := s.sub(s.sold(page)), s.sold(to)
	sub["metadata"].(object)["price_id"], sub["amount"] = other["metadata"].(object)["price_id"], other["amount"]
}

// sold is the payment of a page.
func (s *Server) sold(address string) object {
	found := s.Objects[path.Base(address)]
	if found == nil || found["resource"] != "payment" {
		s.T.Fatalf("there is no page %s", address)
	}
	return found
}
