package stripe

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// perPage is the maximum size of a page.
const perPage = 100

// refusal is an error of the API (https://docs.stripe.com/api/errors).
type refusal struct{ cause *stripe.Error }

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("stripe responded with HTTP status %d: %s, request %s", r.cause.HTTPStatusCode, r.cause.Msg, r.cause.RequestID)
}

// Unwrap returns billing.ErrRefused for a call that Stripe refuses for good. It returns nil for errors that may be
// temporary, and for an invalid key, which the operator has to correct.
func (r *refusal) Unwrap() error {
	switch r.cause.HTTPStatusCode {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:
		return billing.ErrRefused
	}
	return nil
}

// apiError returns a refusal for an error of the API, and err otherwise.
func apiError(err error) error {
	if cause, ok := errors.AsType[*stripe.Error](err); ok {
		return &refusal{cause}
	}
	return err
}

// first returns the first item of a list; zero for none.
func first[T any](list stripe.Seq2[*T, error]) (T, error) {
	for one, err := range list {
		return payment.Value(one), apiError(err)
	}
	var none T
	return none, nil
}

// expand returns the parameter that requests objects in place of their identifiers.
func expand(paths ...string) (all []*string) {
	for _, one := range paths {
		all = append(all, &one)
	}
	return all
}

// whole returns the parameters that list all items, by pages of the maximum size.
func whole() stripe.ListParams { return stripe.ListParams{Limit: new(int64(perPage))} }
