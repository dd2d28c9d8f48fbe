package stripe

import (
	"net/http"
	"strings"
	"time"
)

// create answers a call that makes an object.
func (s *Server) create(kind string, f form) (int, object) {
	switch kind {
	case "prices":
		return http.StatusOK, s.put("price", object{
			"object": "price", "currency": f.get("currency"), "unit_amount": f.number("unit_amount"), "lookup_key": f.get("lookup_key"),
			"interval": f.get("recurring[interval]"), "metered": f.get("recurring[usage_type]") == "metered",
		})
	case "coupons":
		if _, there := s.Objects[f.get("id")]; there {
			return http.StatusBadRequest, wrong("invalid_request_error", "Coupon already exists.")
		}
		return http.StatusOK, s.put("", object{
			"object": "coupon", "id": f.get("id"), "percent_off": f.number("percent_off"), "amount_off": f.number("amount_off"), "duration": f.get("duration"),
		})
	case "checkout/sessions":
		return s.createSession(f)
	case "refunds":
		return s.createRefund(f)
	case "billing_portal/sessions":
		return http.StatusOK, s.put("bps", object{"object": "billing_portal.session", "url": s.HTTP.URL + "/p/session", "customer": f.get("customer")})
	case "billing/meters":
		return http.StatusOK, s.put("mtr", object{"object": "billing.meter", "event_name": f.get("event_name"), "status": "active"})
	case "billing/meter_events":
		for _, one := range s.all("billing.meter_event", nil) {
			if one["identifier"] == f.get("identifier") {
				return http.StatusBadRequest, wrong("invalid_request_error", "An event already exists with this identifier.")
			}
		}
		return http.StatusOK, s.put("mte", object{
			"object": "billing.meter_event", "identifier": f.get("identifier"), "event_name": f.get("event_name"), "payload": f.under("payload"),
		})
	}
	return http.StatusNotFound, wrong("invalid_request_error", "Unrecognized request URL")
}

func (s *Server) createSession(f form) (int, object) {
	price, known := s.Objects[f.get("line_items[0][price]")]
	if !known || (f.get("mode") == "subscription") != (price["interval"] != "") {
		return http.StatusBadRequest, wrong("invalid_request_error", "You must provide a price of the mode.")
	}
	made := s.put("cs_test", object{
		"object": "checkout.session", "mode": f.get("mode"), "status": "open", "payment_status": "unpaid", "currency": price["currency"],
		"customer": nil, "subscription": nil, "payment_intent": nil, "invoice": nil, "metadata": f.under("metadata"),
		"expires_at": s.Now().Add(24 * time.Hour).Unix(), "+coupon": f.get("discounts[0][coupon]"), "+trial": f.number("subscription_data[trial_period_days]"),
		"+price": price["id"], "+quantity": max(f.number("line_items[0][quantity]"), 1),
	})
	if f.get("customer") != "" {
		made["customer"] = f.get("customer")
	}
	made["url"] = s.HTTP.URL + "/c/pay/" + made["id"].(string)
	line := s.put("li", object{"object": "item", "quantity": made["+quantity"], "price": s.expanded(price, nil)})
	made["+line_items"] = []string{line["id"].(string)}
	s.total(made)
	return http.StatusOK, s.shown(made, f)
}

// total says what a session costs.
func (s *Server) total(session object) {
	price := s.Objects[session["+price"].(string)]
	subtotal := price["unit_amount"].(int64) * session["+quantity"].(int64)
	if price["metered"] == true || session["+trial"].(int64) > 0 {
		subtotal = 0
	}
	var off int64
	if coupon, ok := s.Objects[session["+coupon"].(string)]; ok {
		off = min(subtotal, coupon["amount_off"].(int64)+(subtotal*coupon["percent_off"].(int64)+50)/100)
	}
	if s.Sum != 0 {
		subtotal, off = s.Sum, 0
	}
	if s.Currency != "" {
		session["currency"] = s.Currency
	}
	session["amount_subtotal"], session["amount_total"] = subtotal, subtotal-off
	session["total_details"] = object{"amount_discount": off, "amount_tax": 0, "amount_shipping": 0}
}

func (s *Server) createRefund(f form) (int, object) {
	paid, known := s.Objects[f.get("payment_intent")]
	if !known || paid["status"] != "succeeded" {
		return http.StatusBadRequest, wrong("invalid_request_error", "This PaymentIntent does not have a successful charge to refund.")
	}
	charge := s.Objects[paid["latest_charge"].(string)]
	left := paid["amount"].(int64)
	for _, id := range charge["+refunds"].([]string) {
		if one := s.Objects[id]; one["status"] != "failed" {
			left -= one["amount"].(int64)
		}
	}
	sum := f.number("amount")
	if sum == 0 {
		sum = left
	}
	if sum > left || sum <= 0 {
		return http.StatusBadRequest, wrong("invalid_request_error", "Refund amount is greater than unrefunded amount on charge.")
	}
	made := s.put("re", object{
		"object": "refund", "amount": sum, "currency": paid["currency"], "status": "succeeded", "payment_intent": paid["id"],
		"charge": charge["id"], "metadata": f.under("metadata"),
	})
	charge["+refunds"] = append([]string{made["id"].(string)}, charge["+refunds"].([]string)...)
	s.tell("refund.created", made)
	s.tell("charge.refunded", charge)
	return http.StatusOK, made
}

// change answers a call that changes an object.
func (s *Server) change(kind string, o object, f form) (int, object) {
	if kind == "customers" {
		o["name"], o["email"] = f.get("name"), f.get("email")
		return http.StatusOK, o
	}
	if kind != "subscriptions" {
		return http.StatusNotFound, wrong("invalid_request_error", "Unrecognized request URL")
	}
	if o["status"] == "canceled" {
		return http.StatusBadRequest, wrong("invalid_request_error", "A canceled subscription can only update its cancellation_details and metadata.")
	}
	if ending := f.get("cancel_at_period_end"); ending != "" {
		o["cancel_at_period_end"], o["canceled_at"] = ending == "true", nil
		if ending == "true" {
			o["canceled_at"] = s.Now().Unix()
		}
	}
	if id := f.get("items[0][price]"); id != "" {
		item := o["items"].(object)["data"].([]any)[0].(object)
		price, known := s.Objects[id]
		if !known || item["id"] != f.get("items[0][id]") {
			return http.StatusBadRequest, wrong("invalid_request_error", "No such price or item.")
		}
		item["price"], item["quantity"] = s.expanded(price, nil), max(f.number("items[0][quantity]"), 1)
	}
	s.tell("customer.subscription.updated", o)
	return http.StatusOK, s.expanded(o, nil)
}

// cancel answers a call that ends a subscription.
func (s *Server) cancel(o object) (int, object) {
	if o["object"] != "subscription" || o["status"] == "canceled" {
		return http.StatusNotFound, wrong("invalid_request_error", "No such subscription: '"+o["id"].(string)+"'")
	}
	s.end(o)
	return http.StatusOK, s.expanded(o, nil)
}

func (s *Server) end(sub object) {
	sub["status"], sub["ended_at"], sub["canceled_at"] = "canceled", s.Now().Unix(), s.Now().Unix()
	s.tell("customer.subscription.deleted", sub)
}

// session is the session of a page.
func (s *Server) session(page string) object {
	found := s.Objects[page[strings.LastIndex(page, "/")+1:]]
	if found == nil {
		s.T.Fatalf("there is no page %s", page)
	}
	return found
}
