package paypal

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/test/fake/upstream/keeping"
)

// minor is an amount in the units that its value is written in.
func minor(amount any) int64 {
	of, _ := amount.(object)
	n, _ := strconv.ParseInt(strings.ReplaceAll(keeping.Text(of["value"]), ".", ""), 10, 64)
	return n
}

// like is a sum in the currency, and with the decimals, of an amount.
func like(amount any, sum int64) object {
	of := amount.(object)
	_, decimals, _ := strings.Cut(keeping.Text(of["value"]), ".")
	digits := fmt.Sprintf("%0*d", len(decimals)+1, sum)
	if split := len(digits) - len(decimals); decimals != "" {
		digits = digits[:split] + "." + digits[split:]
	}
	return object{"currency_code": of["currency_code"], "value": digits}
}

// create answers a call that makes an object.
func (s *Server) create(kind string, sent object) (int, object) {
	var made object
	switch kind {
	case "product":
		id := keeping.Text(sent["id"])
		if _, known := s.Objects[id]; known {
			return unfit("DUPLICATE_RESOURCE_IDENTIFIER")
		}
		made = s.put(kind, id, sent)
	case "plan":
		if _, known := s.Objects[keeping.Text(sent["product_id"])]; !known {
			return missing()
		}
		made = s.put(kind, s.Name("P-5ML427124445%07d"), sent)
	case "order":
		sent["status"] = "PAYER_ACTION_REQUIRED"
		made = s.put(kind, s.token17(), sent)
		made["links"] = []object{{"href": s.HTTP.URL + "/checkoutnow?token=" + made["id"].(string), "rel": "payer-action", "method": "GET"}}
	default:
		if issue := s.subscribe(sent); issue != "" {
			return unfit(issue)
		}
		made = s.put(kind, s.Name("I-BW452GLL%04d"), sent)
		made["links"] = []object{{"href": s.HTTP.URL + "/webapps/billing/subscriptions?ba_token=" + made["id"].(string), "rel": "approve", "method": "GET"}}
	}
	return http.StatusCreated, s.shown(made)
}

// subscribe prepares a subscription, and says what is wrong with it.
func (s *Server) subscribe(sent object) string {
	of, known := s.Objects[keeping.Text(sent["plan_id"])]
	if !known {
		return "RESOURCE_NOT_FOUND"
	}
	if sent["quantity"] != nil && of["quantity_supported"] != true {
		return "SUBSCRIPTION_CANNOT_HAVE_QUANTITY"
	}
	if sent["start_time"] == nil {
		sent["start_time"] = s.stamp()
	}
	if start, err := time.Parse(time.RFC3339, keeping.Text(sent["start_time"])); err != nil || start.Before(s.Now().Add(-time.Minute)) {
		return "INVALID_START_TIME"
	}
	if sent["quantity"] == nil {
		sent["quantity"] = "1"
	}
	sent["status"], sent["status_update_time"] = "APPROVAL_PENDING", s.stamp()
	return ""
}

// price is what a subscription costs for a period.
func (s *Server) price(sub object) object {
	of := s.Objects[sub["plan_id"].(string)]
	fixed := of["billing_cycles"].([]any)[0].(object)["pricing_scheme"].(object)["fixed_price"]
	quantity, _ := strconv.ParseInt(sub["quantity"].(string), 10, 64)
	due := like(fixed, minor(fixed)*quantity)
	if s.Sum != 0 {
		due = like(fixed, s.Sum)
	}
	if s.Currency != "" {
		due["currency_code"] = strings.ToUpper(s.Currency)
	}
	return due
}

func (s *Server) every(sub object) billing.Interval {
	of := s.Objects[sub["plan_id"].(string)]["billing_cycles"].([]any)[0].(object)["frequency"].(object)["interval_unit"]
	return map[any]billing.Interval{"MONTH": billing.Month, "YEAR": billing.Year}[of]
}

// shown is an object as it is answered, with what belongs to it.
func (s *Server) shown(o object) object {
	out := keeping.Shown(o)
	switch o["+kind"] {
	case "order":
		unit := maps.Clone(o["purchase_units"].([]any)[0].(object))
		paid := object{}
		for kind, name := range map[string]string{"capture": "captures", "refund": "refunds"} {
			var all []object
			for _, one := range s.All(object{"+kind": kind, "+order": o["id"]}) {
				all = append(all, keeping.Shown(one))
			}
			if all != nil {
				paid[name] = all
			}
		}
		if len(paid) > 0 {
			unit["payments"] = paid
		}
		out["purchase_units"] = []any{unit}
	case "subscription":
		out["plan"] = keeping.Shown(s.Objects[o["plan_id"].(string)])
	case "transaction":
		of := o["amount_with_breakdown"].(object)["gross_amount"].(object)
		return object{
			"id": o["id"], "state": strings.ToLower(keeping.Text(o["status"])), "billing_agreement_id": o["+subscription"],
			"amount": object{"total": of["value"], "currency": of["currency_code"]}, "custom": s.Objects[o["+subscription"].(string)]["custom_id"],
		}
	}
	return out
}

// list answers a page of a list. Its items are not whole.
func (s *Server) list(kind string, asked url.Values) (int, object) {
	items := []object{}
	if kind == "dispute" {
		for _, one := range s.All(object{"+kind": kind, "+charge": asked.Get("disputed_transaction_id")}) {
			items = append(items, object{"dispute_id": one["dispute_id"], "status": one["status"], "reason": one["reason"]})
		}
		return http.StatusOK, object{"items": items}
	}
	size, err := strconv.Atoi(asked.Get("page_size"))
	page, wrongly := strconv.Atoi(asked.Get("page"))
	if err != nil || wrongly != nil || size < 1 || size > 20 || page < 1 {
		return wrong(http.StatusBadRequest, "INVALID_REQUEST", "INVALID_PAGE")
	}
	all := s.All(object{"+kind": kind, "product_id": asked.Get("product_id")})
	for _, one := range all[min((page-1)*size, len(all)):min(page*size, len(all))] {
		items = append(items, object{"id": one["id"], "name": one["name"], "description": one["description"], "status": one["status"]})
	}
	return http.StatusOK, object{"plans": items}
}

func (s *Server) transactions(sub object) (int, object) {
	all := []object{}
	for _, one := range s.All(object{"+kind": "transaction", "+subscription": sub["id"]}) {
		all = append(all, keeping.Shown(one))
	}
	return http.StatusOK, object{"transactions": all}
}

// act answers a call that does something with an object.
func (s *Server) act(what string, of, sent object) (int, object) {
	status := of["status"]
	switch what {
	case "refund":
		return s.refund(of, sent)
	case "capture":
		return s.capture(of)
	case "cancel":
		if status != "ACTIVE" && status != "SUSPENDED" {
			return unfit("SUBSCRIPTION_STATUS_INVALID")
		}
		s.become(of, "CANCELLED", sent["reason"])
	case "suspend":
		if status != "ACTIVE" {
			return unfit("SUBSCRIPTION_STATUS_INVALID")
		}
		s.become(of, "SUSPENDED", sent["reason"])
	case "activate":
		if status != "SUSPENDED" && status != "APPROVED" {
			return unfit("SUBSCRIPTION_STATUS_INVALID")
		}
		s.become(of, "ACTIVE", sent["reason"])
		if status == "APPROVED" {
			s.starts(of)
		}
	}
	return http.StatusNoContent, nil
}

// become changes the state of a subscription, of which PayPal tells.
func (s *Server) become(sub object, status string, note any) {
	sub["status"], sub["status_update_time"] = status, s.stamp()
	if note != nil {
		sub["status_change_note"] = note
	}
	name := map[string]string{"ACTIVE": "ACTIVATED"}[status]
	if name == "" {
		name = status
	}
	s.tell("BILLING.SUBSCRIPTION."+name, s.shown(sub))
}

func (s *Server) capture(of object) (int, object) {
	switch of["status"] {
	case "COMPLETED":
		return unfit("ORDER_ALREADY_CAPTURED")
	case "APPROVED":
	default:
		return unfit("ORDER_NOT_APPROVED")
	}
	unit := of["purchase_units"].([]any)[0].(object)
	made := s.put("capture", s.token17(), object{
		"status": "COMPLETED", "amount": like(unit["amount"], s.Charged(minor(unit["amount"]))), "custom_id": unit["custom_id"], "final_capture": true, "+order": of["id"],
		"supplementary_data": object{"related_ids": object{"order_id": of["id"]}},
	})
	of["status"] = "COMPLETED"
	s.tell("PAYMENT.CAPTURE.COMPLETED", s.shown(made))
	return http.StatusCreated, s.shown(of)
}

// total is what was charged by a capture or a transaction.
func total(of object) any {
	if all, ok := of["amount_with_breakdown"].(object); ok {
		return all["gross_amount"]
	}
	return of["amount"]
}

func (s *Server) refund(of, sent object) (int, object) {
	left := minor(total(of))
	for _, one := range s.All(object{"+kind": "refund", "+charge": of["id"], "status": "COMPLETED"}) {
		left -= minor(one["amount"])
	}
	back := like(total(of), left)
	if sent["amount"] != nil {
		back = sent["amount"].(object)
	}
	switch status := of["status"]; {
	case left == 0:
		return unfit("CAPTURE_FULLY_REFUNDED")
	case status != "COMPLETED" && status != "PARTIALLY_REFUNDED":
		return unfit("INVALID_RESOURCE_STATE")
	case minor(back) > left:
		return unfit("REFUND_AMOUNT_EXCEEDED")
	case minor(back) == 0 || back["currency_code"] != total(of).(object)["currency_code"]:
		return unfit("REFUND_CAPTURE_CURRENCY_MISMATCH")
	}
	made := s.put("refund", s.token17(), object{"status": "COMPLETED", "amount": back, "custom_id": sent["custom_id"], "+charge": of["id"], "+order": of["+order"]})
	made["links"] = []object{
		{"href": at("v2/payments/refunds/%s", made["id"]), "rel": "self", "method": "GET"}, {"href": at("v2/payments/captures/%s", of["id"]), "rel": "up", "method": "GET"},
	}
	if of["status"] = "PARTIALLY_REFUNDED"; minor(back) == left {
		of["status"] = "REFUNDED"
	}
	if of["+kind"] == "transaction" {
		s.tell("PAYMENT.SALE.REFUNDED", object{"id": made["id"], "sale_id": of["id"], "state": "completed", "amount": object{"total": back["value"], "currency": back["currency_code"]}})
	} else {
		s.tell("PAYMENT.CAPTURE.REFUNDED", s.shown(made))
	}
	return http.StatusCreated, s.shown(made)
}
