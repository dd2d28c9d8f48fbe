package paddle

import (
	"strconv"
	"strings"
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// The functions below read objects of the library, whose amounts, in minor units, and times are strings.

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

// when parses a time; "" is the zero time.
func when(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// mark returns an entry of ours in the custom data of an object; "" for none.
func mark(of api.CustomData, name string) string { return payment.MarksOf(map[string]any(of))[name] }

// known returns the identifier of a price, or of the price that it replaces.
func known(p api.Price) string {
	if stands := mark(p.CustomData, standsForKey); stands != "" {
		return stands
	}
	return p.ID
}

// saleOf returns the checkout of a transaction; "" if it was not created by the API, but by a browser or by a
// subscription.
func saleOf(t *api.Transaction) billing.CheckoutID {
	if t.Origin != api.TransactionOriginAPI {
		return ""
	}
	return billing.CheckoutID(mark(t.CustomData, checkoutKey))
}

// paid reports whether a transaction is paid, though perhaps not completed.
func paid(t *api.Transaction) bool {
	return t.Status == api.TransactionStatusPaid || t.Status == api.TransactionStatusCompleted
}

// refundOf returns our identifier of a refund; "" for none.
func refundOf(a api.Adjustment) billing.RefundID {
	ours, _, _ := strings.Cut(a.Reason, ":")
	if !strings.HasPrefix(ours, "rfd_") {
		return ""
	}
	return billing.RefundID(ours)
}

// void reports whether an adjustment was rejected or reversed.
func void(a api.Adjustment) bool {
	return a.Status == api.AdjustmentStatusRejected || a.Status == api.AdjustmentStatusReversed
}

// ending reports whether a subscription is canceled at the end of its period.
func ending(s *api.Subscription) bool {
	return payment.Value(s.ScheduledChange).Action == api.ScheduledChangeActionCancel
}
