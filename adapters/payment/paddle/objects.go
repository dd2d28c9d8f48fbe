package paddle

import (
	"strconv"
	"strings"
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// What the objects of the library say. Amounts are strings there, in minor units, and times
// are strings too.

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

// when reads a time; "" is none.
func when(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// mark returns what an object says of ours by a name.
func mark(of api.CustomData, name string) string { return payment.MarksOf(map[string]any(of))[name] }

// known returns the identifier by which a price is known here.
func known(p api.Price) string {
	if stands := mark(p.CustomData, standsForKey); stands != "" {
		return stands
	}
	return p.ID
}

// saleOf returns the checkout that a transaction began; "" for any other. Those of the page of
// others, and those that a subscription made, are none.
func saleOf(t *api.Transaction) billing.CheckoutID {
	if t.Origin != api.TransactionOriginAPI {
		return ""
	}
	return billing.CheckoutID(mark(t.CustomData, checkoutKey))
}

// paid reports whether a transaction is paid, though perhaps not yet seen to.
func paid(t *api.Transaction) bool {
	return t.Status == api.TransactionStatusPaid || t.Status == api.TransactionStatusCompleted
}

// refundOf returns the refund of ours that an adjustment is; "" for none.
func refundOf(a api.Adjustment) billing.RefundID {
	ours, _, _ := strings.Cut(a.Reason, ":")
	if !strings.HasPrefix(ours, "rfd_") {
		return ""
	}
	return billing.RefundID(ours)
}

// void reports whether an adjustment had, or has no more, effect.
func void(a api.Adjustment) bool {
	return a.Status == api.AdjustmentStatusRejected || a.Status == api.AdjustmentStatusReversed
}

// ending reports whether a subscription is to end with its period.
func ending(s *api.Subscription) bool {
	return payment.Value(s.ScheduledChange).Action == api.ScheduledChangeActionCancel
}
