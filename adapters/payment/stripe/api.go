package stripe

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// perPage is the most that a page of a list holds.
const perPage = 100

// refusal is an answer that is an error (https://docs.stripe.com/api/errors).
type refusal struct{ told *stripe.Error }

// Error returns what Stripe says.
func (r *refusal) Error() string {
	return fmt.Sprintf("stripe answered %d: %s, request %s", r.told.HTTPStatusCode, r.told.Msg, r.told.RequestID)
}

// Unwrap returns billing.ErrRefused for what Stripe will not do. What may be another the next
// time has no cause, nor has a key that is not valid, which is the operator's to mend.
func (r *refusal) Unwrap() error {
	switch r.told.HTTPStatusCode {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:
		return billing.ErrRefused
	}
	return nil
}

// answered is the error of a call, if any.
func answered(err error) error {
	if told, ok := errors.AsType[*stripe.Error](err); ok {
		return &refusal{told}
	}
	return err
}

// first returns the first of a list; the zero one for none.
func first[T any](list stripe.Seq2[*T, error]) (T, error) {
	for one, err := range list {
		return payment.Value(one), answered(err)
	}
	var none T
	return none, nil
}

// expand asks for objects in place of their identifiers.
func expand(paths ...string) (all []*string) {
	for _, one := range paths {
		all = append(all, &one)
	}
	return all
}

// whole lets a list be read whole, by pages as long as they may be.
func whole() stripe.ListParams { return stripe.ListParams{Limit: new(int64(perPage))} }
