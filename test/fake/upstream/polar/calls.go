package polar

import (
	"net/http"
	"strings"
	"time"

	"gatehouse.internal/test/fake/upstream/keeping"
)

// number is a number that was sent, or is kept.
func number(of any) int64 {
	switch n := of.(type) {
	case float64:
		return int64(n)
	case int64:
		return n
	case int:
		return int64(n)
	}
	return 0
}

func text(of any) string {
	s, _ := of.(string)
	return s
}

func marks(sent object) object {
	if of, ok := sent["metadata"].(object); ok {
		return of
	}
	return object{}
}

// create answers a call that makes an object.
func (s *Server) create(kind string, sent object) (int, object) {
	switch kind {
	case "products":
		return s.createProduct(sent)
	case "meters":
		return made(s.put(kind, object{"name": sent["name"], "filter": sent["filter"], "aggregation": sent["aggregation"], "metadata": marks(sent), "unit": "scalar"}))
	case "discounts":
		o := object{"name": sent["name"], "type": sent["type"], "duration": sent["duration"], "metadata": marks(sent), "code": nil, "redemptions_count": 0}
		for _, name := range []string{"basis_points", "amounts", "duration_in_months"} {
			if sent[name] != nil {
				o[name] = sent[name]
			}
		}
		return made(s.put(kind, o))
	case "customers":
		return s.createCustomer(sent)
	case "checkouts":
		return s.createCheckout(sent)
	case "refunds":
		return s.createRefund(sent)
	}
	of, known := s.Objects[text(sent["customer_id"])]
	switch {
	case !known:
		return invalid("customer_id", "Customer does not exist.")
	case of["type"] == "team" && sent["external_member_id"] != of["+owner"]:
		return invalid("member_id", "member_id is required for team customers.")
	}
	return http.StatusCreated, object{
		"id": s.id(), "token": "polar_mst_1", "expires_at": moment(s.Now().Add(time.Hour)), "customer_id": of["id"],
		"customer_portal_url": s.HTTP.URL + "/org/portal?customer_session_token=polar_mst_1", "return_url": sent["return_url"],
	}
}

func made(o object) (int, object) { return http.StatusCreated, keeping.Shown(o) }

func (s *Server) createProduct(sent object) (int, object) {
	const short, long = 3, 64
	name, prices := text(sent["name"]), sent["prices"].([]any)
	if len([]rune(name)) < short || len([]rune(name)) > long {
		return invalid("name", "String should have 3 to 64 characters")
	}
	kept := []any{}
	for _, one := range prices {
		price := one.(object)
		switch {
		case price["price_currency"] != currency:
			return invalid("prices", "The organization's default presentment currency must be present in the prices.")
		case price["amount_type"] == "fixed" && price["price_amount"] != nil, price["amount_type"] == "seat_based" && price["seat_tiers"] != nil:
		case price["amount_type"] == "metered_unit" && s.Objects[text(price["meter_id"])] != nil:
		default:
			return invalid("prices", "no price of a known type")
		}
		price["id"] = s.id()
		kept = append(kept, price)
	}
	return made(s.put("products", object{
		"name": name, "description": sent["description"], "recurring_interval": sent["recurring_interval"], "recurring_interval_count": 1, "metadata": marks(sent),
		"is_recurring": sent["recurring_interval"] != nil, "is_archived": false, "visibility": sent["visibility"], "prices": kept,
	}))
}

func (s *Server) createCustomer(sent object) (int, object) {
	email, owner := sent["email"], object{}
	if of, ok := sent["owner"].(object); ok {
		owner = of
	}
	switch {
	case email != nil && len(s.all("customers", object{"email": email})) > 0:
		return invalid("email", "A customer with this email address already exists.")
	case sent["external_id"] != nil && len(s.all("customers", object{"external_id": sent["external_id"]})) > 0:
		return invalid("external_id", "A customer with this external ID already exists.")
	case email == nil && (sent["type"] != "team" || owner["email"] == nil):
		return invalid("email", "An owner with an email address is required when creating a team customer without an email.")
	}
	return made(s.put("customers", object{
		"email": email, "external_id": sent["external_id"], "name": sent["name"], "type": sent["type"], "metadata": marks(sent), "billing_address": nil,
		"tax_id": nil, "+owner": owner["external_id"],
	}))
}

func (s *Server) createCheckout(sent object) (int, object) {
	product, known := s.Objects[text(sent["products"].([]any)[0])]
	if !known || product["+kind"] != "products" {
		return invalid("products", "Product does not exist.")
	}
	seated := product["prices"].([]any)[0].(object)["amount_type"] == "seat_based"
	switch {
	case sent["currency"] != nil && sent["currency"] != currency:
		return invalid("products", "Product is not available in the specified currency.")
	case (sent["seats"] != nil) && !seated:
		return invalid("seats", "Seats can only be set for seat-based pricing.")
	case sent["discount_id"] != nil && s.Objects[text(sent["discount_id"])] == nil:
		return invalid("discount_id", "Discount does not exist.")
	case sent["customer_id"] != nil && s.Objects[text(sent["customer_id"])] == nil:
		return invalid("customer_id", "Customer does not exist.")
	case (sent["trial_interval"] == nil) != (sent["trial_interval_count"] == nil):
		return invalid("trial_interval_count", "Both must be set or none.")
	}
	o := s.put("checkouts", object{
		"status": "open", "client_secret": "polar_c_1", "expires_at": moment(s.Now().Add(24 * time.Hour)), "success_url": sent["success_url"],
		"return_url": sent["return_url"], "currency": currency, "product_id": product["id"], "product": keeping.Shown(product), "customer_id": sent["customer_id"],
		"external_customer_id": sent["external_customer_id"], "discount_id": sent["discount_id"], "metadata": marks(sent), "subscription_id": nil, "seats": nil,
		"allow_trial": sent["allow_trial"], "trial_end": nil, "tax_amount": nil,
	})
	if seated {
		o["seats"] = max(number(sent["seats"]), 1)
	}
	if days := number(sent["trial_interval_count"]); days > 0 && sent["allow_trial"] == true {
		o["trial_end"], o["+trial"] = moment(s.Now().AddDate(0, 0, int(days))), days
	}
	o["url"] = s.HTTP.URL + "/checkout/" + text(o["id"])
	s.price(o)
	s.tell(o, "checkout.created")
	return made(o)
}

// price says what a checkout costs.
func (s *Server) price(o object) {
	amount := s.costs(text(o["product_id"]), number(o["seats"]))
	off := s.off(text(o["discount_id"]), amount)
	if s.Sum != 0 {
		amount, off = s.Sum, 0
	}
	if s.Currency != "" {
		o["currency"] = s.Currency
	}
	o["amount"], o["discount_amount"], o["net_amount"], o["total_amount"] = amount, off, amount-off, amount-off
}

// costs is what a product costs when a period begins.
func (s *Server) costs(product string, seats int64) (sum int64) {
	price := s.Objects[product]["prices"].([]any)[0].(object)
	if price["amount_type"] != "seat_based" {
		return number(price["price_amount"])
	}
	for _, one := range price["seat_tiers"].(object)["tiers"].([]any) {
		tier := one.(object)
		last := seats
		if tier["max_seats"] != nil {
			last = min(last, number(tier["max_seats"]))
		}
		sum += max(0, last-number(tier["min_seats"])+1) * number(tier["price_per_seat"])
	}
	return sum
}

// off is what a discount takes off.
func (s *Server) off(discount string, amount int64) int64 {
	const whole = 10_000
	of, known := s.Objects[discount]
	switch {
	case !known:
		return 0
	case of["type"] == "percentage":
		return (amount*number(of["basis_points"]) + whole/2) / whole
	}
	return min(amount, number(of["amounts"].(object)[currency]))
}

// taxed is the tax of a net amount that goes back, as Polar adds it.
func taxed(order object, net int64) int64 {
	left := number(order["refundable_tax_amount"])
	if net == number(order["refundable_amount"]) {
		return left
	}
	if number(order["net_amount"]) == 0 {
		return 0
	}
	return min(left, (net*number(order["tax_amount"])+number(order["net_amount"])/2)/number(order["net_amount"]))
}

func (s *Server) createRefund(sent object) (int, object) {
	order, known := s.Objects[text(sent["order_id"])]
	net := number(sent["amount"])
	switch {
	case !known || order["+kind"] != "orders":
		return invalid("order_id", "Order not found")
	case order["status"] == "refunded":
		return http.StatusForbidden, wrong("RefundedAlready", "Order is already fully refunded: "+text(order["id"]))
	case net <= 0:
		return invalid("amount", "Input should be greater than 0")
	case net > number(order["refundable_amount"]):
		return invalid("amount", "Refund amount exceeds refundable amount")
	}
	refund := s.put("refunds", object{
		"status": "succeeded", "reason": sent["reason"], "amount": net, "tax_amount": taxed(order, net), "currency": order["currency"],
		"order_id": order["id"], "subscription_id": order["subscription_id"], "customer_id": order["customer_id"], "metadata": marks(sent), "dispute": nil,
	})
	s.back(order, refund, 1)
	s.tell(refund, "refund.created")
	s.tell(s.touch(order), "order.updated", "order.refunded")
	return made(refund)
}

// back counts a refund of an order, or by -1 no longer.
func (*Server) back(order, refund object, times int64) {
	net, tax := times*number(refund["amount"]), times*number(refund["tax_amount"])
	order["refunded_amount"] = number(order["refunded_amount"]) + net
	order["refundable_amount"] = number(order["refundable_amount"]) - net
	order["refundable_tax_amount"] = number(order["refundable_tax_amount"]) - tax
	switch {
	case order["refundable_amount"] == int64(0):
		order["status"] = "refunded"
	case order["refunded_amount"] == int64(0):
		order["status"] = "paid"
	default:
		order["status"] = "partially_refunded"
	}
}

// ingest takes the events that are not known.
func (s *Server) ingest(sent object) (int, object) {
	inserted, duplicates := 0, 0
	for _, one := range sent["events"].([]any) {
		event := one.(object)
		switch {
		case text(event["name"]) == "" || s.Objects[text(event["customer_id"])] == nil:
			return invalid("events", "Customer does not exist.")
		case len(s.all("events", object{"external_id": event["external_id"]})) > 0:
			duplicates++
			continue
		}
		inserted++
		s.put("events", event)
	}
	return http.StatusOK, object{"inserted": inserted, "duplicates": duplicates}
}

// invoice answers calls for the document of an order, which takes a while to be written.
func (s *Server) invoice(method string, order object) (int, object) {
	switch {
	case order["+kind"] != "orders":
		return missing()
	case method == http.MethodPost && order["billing_name"] == nil:
		return http.StatusUnprocessableEntity, wrong("MissingInvoiceBillingDetails", "Billing name and address are required to generate an invoice for this order.")
	case method == http.MethodPost:
		order["+writing"] = true
		return http.StatusAccepted, object{}
	case order["+writing"] == true:
		order["+writing"], order["is_invoice_generated"] = false, true
		fallthrough
	case order["is_invoice_generated"] != true && order["+writing"] == nil:
		return http.StatusNotFound, wrong("InvoiceDoesNotExist", "No invoice exists for order "+text(order["id"])+".")
	}
	return http.StatusOK, object{"url": s.HTTP.URL + "/pdf/" + text(order["id"])}
}

// change answers a call that changes an object.
func (s *Server) change(kind string, o, sent object) (int, object) {
	if kind == "customers" {
		return s.changeCustomer(o, sent)
	}
	canceling, asked := sent["cancel_at_period_end"].(bool)
	switch {
	case o["ended_at"] != nil && asked && !canceling:
		return http.StatusGone, wrong("ResourceUnavailable", "Unavailable")
	case o["ended_at"] != nil || (asked && canceling && o["cancel_at_period_end"] == true):
		return http.StatusForbidden, wrong("AlreadyCanceledSubscription", "This subscription is already canceled or will be at the end of the period.")
	case asked && !canceling && o["cancel_at_period_end"] != true:
		return http.StatusBadRequest, wrong("BadRequest", "Bad request")
	case asked && len(sent) > 1, sent["seats"] != nil && sent["product_id"] != nil:
		return invalid("body", "Extra inputs are not permitted")
	}
	kinds := []string{"subscription.updated"}
	if asked {
		o["cancel_at_period_end"], o["canceled_at"], o["ends_at"] = canceling, nil, nil
		kinds = append(kinds, "subscription.uncanceled")
		if canceling {
			o["canceled_at"], o["ends_at"], kinds[1] = s.when(), o["current_period_end"], "subscription.canceled"
		}
	}
	before := number(o["amount"])
	if id := text(sent["product_id"]); id != "" {
		if s.Objects[id] == nil {
			return invalid("product_id", "Product does not exist.")
		}
		o["product_id"] = id
	}
	if sent["seats"] != nil {
		o["seats"] = number(sent["seats"])
	}
	if sent["discount_id"] != nil {
		o["discount_id"] = sent["discount_id"]
	}
	s.reprice(o)
	if more := number(o["amount"]) - before; more > 0 && sent["proration_behavior"] == "invoice" {
		s.bill(o, more, "subscription_update", true)
	}
	s.tell(s.touch(o), kinds...)
	return http.StatusOK, keeping.Shown(o)
}

func (s *Server) changeCustomer(o, sent object) (int, object) {
	if email := sent["email"]; email != nil && email != o["email"] && len(s.all("customers", object{"email": email})) > 0 {
		return invalid("email", "A customer with this email address already exists.")
	}
	if of, asked := sent["billing_address"].(object); asked && len(text(of["country"])) != len("DE") {
		return invalid("billing_address", "country is missing")
	}
	if sent["tax_id"] != nil && sent["billing_address"] == nil && o["billing_address"] == nil {
		return invalid("billing_address", "Country is required to validate tax ID.")
	}
	for name, value := range sent {
		o[name] = value
	}
	return http.StatusOK, keeping.Shown(s.touch(o))
}

// revoke answers a call that ends a subscription.
func (s *Server) revoke(sub object) (int, object) {
	if sub["ended_at"] != nil {
		return http.StatusForbidden, wrong("AlreadyCanceledSubscription", "This subscription is already canceled or will be at the end of the period.")
	}
	s.end(sub)
	return http.StatusOK, keeping.Shown(sub)
}

// sale is the checkout of a page.
func (s *Server) sale(page string) object {
	found := s.Objects[page[strings.LastIndex(page, "/")+1:]]
	if found == nil {
		s.T.Fatalf("there is no page %s", page)
	}
	return found
}

// Used sums up what a meter counts.
func (s *Server) Used(meter string) (sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.all("events", object{"name": meter}) {
		sum += number(one["metadata"].(object)["quantity"])
	}
	return sum
}
