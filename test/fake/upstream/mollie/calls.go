package mollie

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/test/fake/upstream/keeping"
)

// minor is an amount in minor units.
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
	value := digits
	if split := len(digits) - len(decimals); decimals != "" {
		value = digits[:split] + "." + digits[split:]
	}
	return object{"currency": of["currency"], "value": value}
}

// create answers a call that makes an object.
func (s *Server) create(kind string, above, sent object) (int, object) {
	switch kind {
	case "customers":
		return s.made201(s.put("customer", sent))
	case "payments":
		return s.createPayment(sent)
	case "customers/subscriptions":
		return s.createSubscription(above, sent)
	}
	return s.createRefund(above, sent)
}

func (s *Server) made201(o object) (int, object) { return http.StatusCreated, s.shown(o) }

// free are the methods by which nothing can be paid first.
func free() []any { return []any{"creditcard", "paypal"} }

func (s *Server) createPayment(sent object) (int, object) {
	of, known := s.Objects[keeping.Text(sent["customerId"])]
	methods, _ := sent["method"].([]any)
	switch {
	case sent["customerId"] != nil && (!known || of["resource"] != "customer"):
		return unfit("customerId", "The customer id is invalid")
	case sent["sequenceType"] == "first" && !known:
		return unfit("customerId", "The customer id is missing")
	case minor(sent["amount"]) == 0 && (sent["sequenceType"] != "first" || !slices.Equal(methods, free())):
		return unfit("amount", "The amount is lower than the minimum")
	case sent["webhookUrl"] != nil && strings.Contains(keeping.Text(sent["webhookUrl"]), "localhost"):
		return unfit("webhookUrl", "The webhook URL is invalid because it is unreachable from Mollie's point of view")
	}
	sent["status"], sent["expiresAt"], sent["profileId"] = "open", moment(s.Now().Add(15*time.Minute)), "pfl_QkEhN94Ba"
	delete(sent, "method")
	return s.made201(s.put("payment", sent))
}

// mandated reports whether a customer has a mandate.
func (s *Server) mandated(customer object, mandate any) bool {
	for _, one := range s.all("payment", object{"customerId": customer["id"], "sequenceType": "first", "status": "paid"}) {
		if mandate == nil || one["mandateId"] == mandate {
			return true
		}
	}
	return false
}

func (s *Server) createSubscription(of, sent object) (int, object) {
	today := s.Now().UTC().Format(time.DateOnly)
	if sent["startDate"] == nil {
		sent["startDate"] = today
	}
	switch {
	case !s.mandated(of, sent["mandateId"]):
		return unfit("", "No suitable mandates found for customer")
	case keeping.Text(sent["startDate"]) < today:
		return unfit("startDate", "The start date is in the past")
	case minor(sent["amount"]) == 0:
		return unfit("amount", "The amount is lower than the minimum")
	case len(s.all("subscription", object{"customerId": of["id"], "description": sent["description"], "status": "active"})) > 0:
		return unfit("description", "A subscription with the same description already exists")
	}
	sent["customerId"], sent["status"], sent["nextPaymentDate"] = of["id"], "active", sent["startDate"]
	return s.made201(s.put("subscription", sent))
}

// change answers a call that changes an object.
func (s *Server) change(kind string, of, sent object) (int, object) {
	if kind != "customers" && of["status"] == "canceled" {
		return unfit("", "The subscription has been canceled")
	}
	maps.Copy(of, sent)
	return http.StatusOK, s.shown(of)
}

// cancel answers a call that ends a subscription.
func (s *Server) cancel(of object) (int, object) {
	if of["status"] == "canceled" {
		return wrong(http.StatusGone, "", "The subscription has been canceled")
	}
	of["status"], of["canceledAt"], of["nextPaymentDate"] = "canceled", moment(s.Now()), nil
	return http.StatusOK, s.shown(of)
}

// short is the succession in which refunds that are alike are one.
const short = time.Minute

func (s *Server) createRefund(of, sent object) (int, object) {
	left := minor(of["amount"])
	for _, one := range s.all("refund", object{"paymentId": of["id"]}) {
		if one["status"] == "failed" {
			continue
		}
		left -= minor(one["amount"])
		if made, _ := time.Parse(time.RFC3339, keeping.Text(one["createdAt"])); minor(one["amount"]) == minor(sent["amount"]) && s.Now().Sub(made) < short {
			return wrong(http.StatusConflict, "", "A duplicate refund has been detected")
		}
	}
	if of["status"] != "paid" || minor(sent["amount"]) > left || minor(sent["amount"]) == 0 {
		return unfit("amount", "The specified amount cannot be refunded")
	}
	sent["paymentId"], sent["status"] = of["id"], "pending"
	made := s.put("refund", sent)
	left -= minor(sent["amount"])
	of["amountRemaining"], of["amountRefunded"] = like(of["amount"], left), like(of["amount"], minor(of["amount"])-left)
	return s.made201(made)
}
