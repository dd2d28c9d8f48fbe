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
	// keyHeader holds the key by which a call is known again
	// (https://docs.mollie.com/reference/api-idempotency).
	keyHeader = "Idempotency-Key"
	// perPage is the most that a page of a list holds.
	perPage = 250
)

// object is metadata that is sent.
type object = map[string]any

// refusal is an answer that is an error (https://docs.mollie.com/reference/handling-errors).
type refusal struct{ told api.BaseError }

// Error returns what Mollie says.
func (r *refusal) Error() string { return "mollie answered " + r.told.Error() }

// Unwrap returns billing.ErrRefused for what Mollie will not do, and billing.ErrWaiting for
// what is too much like another call just before. What may be another the next time has no
// cause, nor has a key that is not valid, which is the operator's to mend.
func (r *refusal) Unwrap() error {
	switch r.told.Status {
	case http.StatusConflict:
		return billing.ErrWaiting
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return billing.ErrRefused
	}
	return nil
}

// answered is the error of a call, if any. The library's own has neither the status nor the
// words of an answer whose length is not told, or that is none of the API.
func answered(by *api.Response, err error) error {
	if err == nil || by == nil || by.StatusCode < http.StatusMultipleChoices {
		return err
	}
	refused := refusal{}
	if json.UnmarshalRead(by.Body, &refused.told) != nil {
		refused.told = api.BaseError{Detail: "no error of the API"}
	}
	refused.told.Status = by.StatusCode
	return &refused
}

// connect returns the library's client. Its base is Mollie's: through leads elsewhere.
func connect(o payment.Options, through *http.Client) *api.Client {
	// It fails for no configuration, and is given a key unless there is none.
	client, _ := api.NewClient(through, api.NewConfig(false, ""))
	_ = client.WithAuthenticationValue(o.SecretKey.Reveal())
	return client
}

// once returns the context of a call that makes, changes or ends an object, once for a key and a
// kind of call.
func once(ctx context.Context, key, method, path string) context.Context {
	return payment.Keyed(ctx, keyHeader, payment.Once(key, method, path))
}

// page is one page of a list, and where the next one is.
type page[T any] struct {
	items []*T
	links api.PaginationLinks
}

// next returns what the following page begins with; "" for none. Its address is taken for that, and
// not called.
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

// list reads a list, page by page, newest first: what is new meanwhile is missed, and nothing
// else. Each item is read from one of the library's.
func list[T, R any](turn func(from string) (page[T], error), read func(*T) (R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for from, more := "", true; more; more = from != "" {
			got, err := turn(from)
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

// collect reads a list whole.
func collect[T any](all iter.Seq2[T, error]) (items []T, err error) {
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		items = append(items, one)
	}
	return items, nil
}

// charges returns what a customer paid, or is or was to pay.
func (m *Mollie) charges(ctx context.Context, customer string) iter.Seq2[charge, error] {
	return list(func(from string) (p page[api.Payment], err error) {
		by, got, err := m.api.Customers.GetPayments(ctx, url.PathEscape(customer), &api.ListCustomersOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Payments, got.Links
		}
		return p, answered(by, err)
	}, readCharge)
}

// subscriptions returns those of a customer.
func (m *Mollie) subscriptions(ctx context.Context, customer string) iter.Seq2[subscription, error] {
	return list(func(from string) (p page[api.Subscription], err error) {
		by, got, err := m.api.Subscriptions.List(ctx, url.PathEscape(customer), &api.ListSubscriptionsOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Subscriptions, got.Links
		}
		return p, answered(by, err)
	}, func(s *api.Subscription) (subscription, error) { return readSubscription(customer, s) })
}

// refunds returns those of a charge.
func (m *Mollie) refunds(ctx context.Context, of string) iter.Seq2[back, error] {
	return list(func(from string) (p page[api.Refund], err error) {
		by, got, err := m.api.Refunds.ListPaymentRefunds(ctx, url.PathEscape(of), &api.ListRefundsOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Refunds, got.Links
		}
		return p, answered(by, err)
	}, readBack)
}

// chargebacks returns what the bank of a buyer took back of a charge.
func (m *Mollie) chargebacks(ctx context.Context, of string) iter.Seq2[api.Chargeback, error] {
	return list(func(from string) (p page[api.Chargeback], err error) {
		by, got, err := m.api.Chargebacks.ListForPayment(ctx, url.PathEscape(of), &api.ListChargebacksOptions{Limit: perPage, From: from})
		if got != nil {
			p.items, p.links = got.Embedded.Chargebacks, got.Links
		}
		return p, answered(by, err)
	}, func(c *api.Chargeback) (api.Chargeback, error) { return payment.Value(c), nil })
}

// charge returns a charge by its identifier.
func (m *Mollie) charge(ctx context.Context, id string) (charge, error) {
	by, found, err := m.api.Payments.Get(ctx, url.PathEscape(id), nil)
	if err != nil {
		return charge{}, answered(by, err)
	}
	return readCharge(found)
}

// place returns the customer and the subscription that an identifier of ours holds.
func place(whole string) (customer, id string) {
	customer, id, _ = strings.Cut(whole, "/")
	return customer, id
}
