package mollie

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"
	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

const (
	// keyHeader is the header of idempotency keys
	// (https://docs.mollie.com/reference/api-idempotency).
	keyHeader = "Idempotency-Key"
	// perPage is the maximum size of a page.
	perPage = 250
)

// object is the metadata of a request.
type object = map[string]any

// refusal is an error of the API (https://docs.mollie.com/reference/handling-errors).
type refusal struct{ cause api.BaseError }

// Error implements error.
func (r *refusal) Error() string { return "mollie responded with HTTP status " + r.cause.Error() }

// Unwrap returns billing.ErrRefused for a call that Mollie refuses for good, and billing.ErrWaiting for one
// that resembles a call shortly before. It returns nil for errors that may be temporary, and for an invalid
// key, which the operator has to correct.
func (r *refusal) Unwrap() error {
	switch r.cause.Status {
	case http.StatusConflict:
		return billing.ErrWaiting
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return billing.ErrRefused
	}
	return nil
}

// apiError returns a refusal for an error response, and err otherwise. The error of the library lacks the
// status and the message if the response has no Content-Length or is not from the API.
func apiError(response *api.Response, err error) error {
	if err == nil || response == nil || response.StatusCode < http.StatusMultipleChoices {
		return err
	}
	refused := refusal{}
	if json.UnmarshalRead(response.Body, &refused.cause) != nil {
		refused.cause = api.BaseError{Detail: "not an API error"}
	}
	refused.cause.Status = response.StatusCode
	return &refused
}

// connect returns the client of the library. It calls the address of Mollie, which through may replace.
func connect(o payment.Options, through *http.Client) *api.Client {
	// Neither call fails: the configuration is valid, and an empty key is refused by Mollie.
	client, _ := api.NewClient(through, api.NewConfig(false, ""))
	_ = client.WithAuthenticationValue(o.SecretKey.Reveal())
	return client
}

// once returns the context of a call that creates, changes or cancels an object, with an idempotency key for
// a key of ours and the kind of the call.
func once(ctx context.Context, key, method, path string) context.Context {
	return payment.Keyed(ctx, keyHeader, payment.Once(key, method, path))
}

// page is one page of a list, with the link to the next one.
type page[T any] struct {
	items []*T
	links api.PaginationLinks
}

// next returns the identifier that the next page begins with, "" for none. It is read from the address of the
// next page, which is not called itself.
func (p page[T]) next() string {
	if p.links.Next == nil {
		return ""
	}
	at, err := url.Parse(p.links.Next.Href)
	if err != nil {
		return ""
	}
	return at.Query().Get("from")
}

// list iterates over a list, newest first. Only items that are added meanwhile are missed. read converts an
// item of the library.
func list[T, R any](fetch func(from string) (page[T], error), read func(*T) (R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for from, more := "", true; more; more = from != "" {
			got, err := fetch(from)
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for _, one := range got.items {
				item, err := read(one)
				if !yield(item, err) || err != nil {
					return
				}
			}
			from = got.next()
		}
	}
}

// collect returns all items of a list.
func collect[T any](all iter.Seq2[T, error]) (items []T, err error) {
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		items = append(items, one)
	}
	return items, nil
}

// charges iterates over the payments of a customer, whatever their status.
func (m *Mollie) charges(ctx context.Context, customer string) iter.Seq2[charge, error] {
	return list(func(from string) (p page[api.Payment], err error) {
		response, got, err := m.api.Customers.GetPayments(ctx, url.PathEscape(customer), &api.ListCustomersOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Payments, got.Links
		}
		return p, apiError(response, err)
	}, readCharge)
}

// subscriptions iterates over the subscriptions of a customer.
func (m *Mollie) subscriptions(ctx context.Context, customer string) iter.Seq2[subscription, error] {
	return list(func(from string) (p page[api.Subscription], err error) {
		response, got, err := m.api.Subscriptions.List(ctx, url.PathEscape(customer), &api.ListSubscriptionsOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Subscriptions, got.Links
		}
		return p, apiError(response, err)
	}, func(s *api.Subscription) (subscription, error) { return readSubscription(customer, s) })
}

// refunds iterates over the refunds of a charge.
func (m *Mollie) refunds(ctx context.Context, of string) iter.Seq2[refund, error] {
	return list(func(from string) (p page[api.Refund], err error) {
		response, got, err := m.api.Refunds.ListPaymentRefunds(ctx, url.PathEscape(of), &api.ListRefundsOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Refunds, got.Links
		}
		return p, apiError(response, err)
	}, readRefund)
}

// chargebacks iterates over the chargebacks of a charge.
func (m *Mollie) chargebacks(ctx context.Context, of string) iter.Seq2[api.Chargeback, error] {
	return list(func(from string) (p page[api.Chargeback], err error) {
		response, got, err := m.api.Chargebacks.ListForPayment(ctx, url.PathEscape(of), &api.ListChargebacksOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Chargebacks, got.Links
		}
		return p, apiError(response, err)
	}, func(c *api.Chargeback) (api.Chargeback, error) { return payment.Value(c), nil })
}

// charge returns a charge by its identifier.
func (m *Mollie) charge(ctx context.Context, id string) (charge, error) {
	response, found, err := m.api.Payments.Get(ctx, url.PathEscape(id), nil)
	if err != nil {
		return charge{}, apiError(response, err)
	}
	return readCharge(found)
}

// splitID returns the customer and the subscription of an identifier that fullID returned.
func splitID(whole string) (customer, id string) {
	customer, id, _ = strings.Cut(whole, "/")
	return customer, id
}
