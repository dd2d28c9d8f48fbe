package paddle

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"time"

	"gatehouse.internal/test/fake/upstream/keeping"
)

// create answers a call that makes an object.
func (s *Server) create(place string, body object) answer {
	switch place {
	case "products":
		return created(s.put("pro", body))
	case "prices":
		if _, known := s.Objects[body["product_id"].(string)]; !known || !money(body["unit_price"]) {
			return wrong(http.StatusBadRequest, "invalid_field", "product_id or unit_price")
		}
		return created(s.put("pri", body))
	case "discounts":
		return s.createDiscount(body)
	case "transactions":
		return s.createTransaction(body)
	}
	return s.adjust(body, "refund", "pending_approval")
}

var (
	digits = regexp.MustCompile(`^\d+$`)
	letter = regexp.MustCompile(`^[a-zA-Z0-9]{1,32}$`)
)

// money reports whether a value is an amount: a string in minor units.
func money(value any) bool {
	of, _ := value.(object)
	amount, _ := of["amount"].(string)
	code, _ := of["currency_code"].(string)
	return digits.MatchString(amount) && len(code) == 3 && code != "KWD"
}

func (s *Server) createDiscount(body object) answer {
	code, _ := body["code"].(string)
	if !letter.MatchString(code) || !digits.MatchString(body["amount"].(string)) || (body["type"] == "flat") != (body["currency_code"] != nil) {
		return wrong(http.StatusBadRequest, "invalid_field", "code, amount or currency_code")
	}
	if len(s.all("dsc", object{"code": code})) > 0 {
		return wrong(http.StatusConflict, "discount_code_conflict", "Discount code conflicts with another")
	}
	return created(s.put("dsc", body))
}

func (s *Server) createTransaction(body object) answer {
	asked := body["items"].([]any)[0].(object)
	price, known := s.Objects[str(asked["price_id"])], true
	if inline, ok := asked["price"].(object); ok {
		if _, known = s.Objects[str(inline["product_id"])]; known && money(inline["unit_price"]) {
			inline["type"] = "custom"
			price = s.put("pri", inline)
		}
	}
	if price == nil || !known {
		return wrong(http.StatusBadRequest, "transaction_item_invalid", "no such price")
	}
	made := s.put("txn", object{
		"status": "draft", "customer_id": body["customer_id"], "address_id": nil, "custom_data": body["custom_data"], "currency_code": body["currency_code"],
		"origin": "api", "subscription_id": nil, "invoice_number": nil, "collection_mode": "automatic", "discount_id": body["discount_id"],
		"billing_period": nil, "payments": []any{}, "billed_at": nil,
		"items": []any{object{"price_id": price["id"], "price": keeping.Shown(price), "quantity": int64(asked["quantity"].(float64)), "proration": nil}},
	})
	made["checkout"] = object{"url": str(body["checkout"].(object)["url"]) + "?_ptxn=" + made["id"].(string)}
	s.total(made)
	s.tell("transaction.created", made)
	return created(made)
}

func str(value any) string {
	text, _ := value.(string)
	return text
}

// total says what a transaction costs.
func (s *Server) total(of object) {
	item := of["items"].([]any)[0].(object)
	price := item["price"].(object)
	subtotal := whole(price["unit_price"].(object)["amount"]) * item["quantity"].(int64)
	if price["trial_period"] != nil && of["origin"] == "api" {
		subtotal = 0
	}
	var off int64
	if by, ok := s.Objects[str(of["discount_id"])]; ok {
		if off = whole(by["amount"]); by["type"] == "percentage" {
			off = (subtotal*off + 50) / 100
		}
		off = min(off, subtotal)
	}
	if s.Sum != 0 {
		subtotal, off = s.Sum, 0
	}
	if s.Currency != "" {
		of["currency_code"] = s.Currency
	}
	const percent = 100
	tax := (subtotal - off) * s.tax / percent
	sums := object{"subtotal": text(subtotal), "discount": text(off), "tax": text(tax), "total": text(subtotal - off + tax)}
	all := maps.Clone(sums)
	all["grand_total"], all["credit"], all["balance"], all["currency_code"] = sums["total"], "0", "0", of["currency_code"]
	id := "txnitm_" + of["id"].(string)[4:]
	of["details"] = object{"totals": all, "line_items": []any{object{
		"id": id, "price_id": price["id"], "quantity": item["quantity"], "totals": sums, "product": keeping.Shown(s.Objects[str(price["product_id"])]),
	}}}
}

// adjust makes an adjustment; one without items is of all that is left.
func (s *Server) adjust(body object, action, status string) answer {
	of, known := s.Objects[str(body["transaction_id"])]
	if !known || of["status"] != "completed" {
		return wrong(http.StatusBadRequest, "adjustment_transaction_invalid_status_for_refund", "The transaction being adjusted (refund) has a non supported status")
	}
	line := of["details"].(object)["line_items"].([]any)[0].(object)
	left := whole(line["totals"].(object)["total"])
	for _, one := range s.all("adj", object{"transaction_id": of["id"], "action": "refund"}) {
		if one["status"] == "pending_approval" {
			return wrong(http.StatusBadRequest, "adjustment_pending_refund_request", "You are unable to create further adjustments against this transaction as there is a pending refund request")
		}
		left -= whole(one["totals"].(object)["total"])
	}
	amount := left
	if items, ok := body["items"].([]any); ok {
		item := items[0].(object)
		if item["item_id"] != line["id"] || (item["type"] == "partial") != (item["amount"] != nil) {
			return wrong(http.StatusBadRequest, "adjustment_transaction_item_invalid", "One or more adjustment items cannot be processed")
		}
		if item["type"] == "partial" {
			amount = whole(item["amount"])
		}
	}
	if amount <= 0 || amount > left {
		return wrong(http.StatusBadRequest, "adjustment_transaction_item_over_adjustment", "One or more adjustment items are being over adjusted.")
	}
	sums := object{"subtotal": text(amount), "tax": "0", "total": text(amount), "currency_code": of["currency_code"]}
	made := s.put("adj", object{
		"action": action, "status": status, "transaction_id": of["id"], "subscription_id": of["subscription_id"], "customer_id": of["customer_id"],
		"reason": body["reason"], "currency_code": of["currency_code"], "totals": sums,
		"items": []any{object{"id": "adjitm_1", "item_id": line["id"], "type": "partial", "amount": text(amount), "totals": sums}},
	})
	s.tell("adjustment.created", made)
	return created(made)
}

// change answers a call that changes an object.
func (s *Server) change(place string, of, body object) answer {
	if place == "customers" {
		maps.Copy(of, body)
		s.tell("customer.updated", of)
		return ok(of)
	}
	scheduled, clearing := body["scheduled_change"]
	switch {
	case of["status"] == "canceled":
		return wrong(http.StatusBadRequest, "subscription_update_when_canceled", "cannot update subscription, as the subscription is canceled")
	case clearing && scheduled != nil:
		return wrong(http.StatusBadRequest, "invalid_field", "scheduled_change may only be null")
	case !clearing && of["scheduled_change"] != nil:
		return locked()
	}
	if clearing {
		of["scheduled_change"] = nil
	}
	if items, ok := body["items"].([]any); ok {
		modes := []string{"prorated_immediately", "prorated_next_billing_period", "full_immediately", "full_next_billing_period", "do_not_bill"}
		if mode := str(body["proration_billing_mode"]); !slices.Contains(modes, mode) || (of["status"] == "trialing" && mode != "do_not_bill") {
			return wrong(http.StatusBadRequest, "subscription_trialing_items_update_invalid_options", "invalid proration_billing_mode")
		}
		asked := items[0].(object)
		price, known := s.Objects[str(asked["price_id"])]
		if !known {
			return wrong(http.StatusBadRequest, "subscription_item_invalid", "no such price")
		}
		item := of["items"].([]any)[0].(object)
		item["price"], item["quantity"] = keeping.Shown(price), int64(asked["quantity"].(float64))
	}
	if by, ok := body["discount"].(object); ok {
		of["+discount"] = by["id"]
	}
	s.tell("subscription.updated", of)
	return ok(of)
}

func locked() answer {
	return wrong(http.StatusBadRequest, "subscription_locked_pending_changes", "cannot update subscription, as there are pending scheduled changes")
}

// cancel answers a call that ends a subscription.
func (s *Server) cancel(of, body object) answer {
	switch {
	case of["status"] == "canceled":
		return wrong(http.StatusBadRequest, "subscription_is_canceled_action_invalid", "Subscription is canceled, action invalid")
	case of["scheduled_change"] != nil:
		return locked()
	case body["effective_from"] == "immediately":
		s.end(of)
	default:
		of["scheduled_change"] = object{"action": "cancel", "effective_at": of["current_billing_period"].(object)["ends_at"], "resume_at": nil}
		s.tell("subscription.updated", of)
	}
	return ok(of)
}

func (s *Server) end(sub object) {
	sub["status"], sub["canceled_at"], sub["scheduled_change"], sub["current_billing_period"] = "canceled", s.stamp(), nil, nil
	s.tell("subscription.canceled", sub)
}

func stampOf(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
