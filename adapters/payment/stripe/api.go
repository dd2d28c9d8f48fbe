package stripe

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

const (
	origin = "https://api.stripe.com/v1/"
	// version is that of the API, for the form of all answers.
	version = "2026-05-27.dahlia"
	// keyHeader holds the key by which a call is known again.
	keyHeader = "Idempotency-Key"
)

// refusal is an answer that is an error (https://docs.stripe.com/api/errors).
type refusal struct {
	status           int
	request, message string
}

// Error is what Stripe says.
func (r *refusal) Error() string {
	return fmt.Sprintf("stripe answered %d: %s, request %s", r.status, r.message, r.request)
}

// Unwrap returns billing.ErrRefused for what Stripe will not do. What may be another the next
// time has no cause, nor has a key that is not valid, which is the operator's to mend.
func (r *refusal) Unwrap() error {
	if r.status == http.StatusBadRequest || r.status == http.StatusPaymentRequired || r.status == http.StatusNotFound {
		return billing.ErrRefused
	}
	return nil
}

// get reads an object. fields narrow or expand it.
func (s *Stripe) get(ctx context.Context, path string, fields url.Values, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+path+"?"+fields.Encode(), nil)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	return s.send(request, into)
}

// post makes or changes an object, once for a key.
func (s *Stripe) post(ctx context.Context, path string, fields url.Values, key string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, origin+path, strings.NewReader(fields.Encode()))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set(keyHeader, key)
	return s.send(request, into)
}

// end ends an object, once for a key.
func (s *Stripe) end(ctx context.Context, path, key string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, origin+path, nil)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set(keyHeader, key)
	return s.send(request, into)
}

func (s *Stripe) send(request *http.Request, into any) error {
	request.Header.Set("Authorization", "Bearer "+s.options.SecretKey.Reveal())
	request.Header.Set("Stripe-Version", version)
	return payment.Exchange(s.http, request, into, refused)
}

func refused(answer *http.Response) error {
	var wrong struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Error.Message = "no error of the API"
	}
	return &refusal{answer.StatusCode, answer.Header.Get("Request-Id"), wrong.Error.Message}
}

// page is one page of a list.
type page[T any] struct {
	Data    []T  `json:"data"`
	HasMore bool `json:"has_more"`
}

// listed is what lists hold.
type listed interface{ id() string }

// list reads a list, page by page.
func list[T listed](ctx context.Context, s *Stripe, path string, fields url.Values) iter.Seq2[T, error] {
	fields.Set("limit", "100")
	return func(yield func(T, error) bool) {
		for more := true; more; {
			var got page[T]
			if err := s.get(ctx, path, fields, &got); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range got.Data {
				if !yield(one, nil) {
					return
				}
				fields.Set("starting_after", one.id())
			}
			more = got.HasMore && len(got.Data) > 0
		}
	}
}

// first is the first of a list; the zero one for none.
func first[T listed](ctx context.Context, s *Stripe, path string, fields url.Values) (T, error) {
	for one, err := range list[T](ctx, s, path, fields) {
		return one, err
	}
	var none T
	return none, nil
}
