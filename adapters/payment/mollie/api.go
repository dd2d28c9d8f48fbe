package mollie

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

const (
	origin = "https://api.mollie.com/v2/"
	// keyHeader holds the key by which a call is known again
	// (https://docs.mollie.com/reference/api-idempotency).
	keyHeader = "Idempotency-Key"
	// perPage is the most that a page of a list holds.
	perPage = 250
)

// object is what is sent.
type object = map[string]any

// refusal is an answer that is an error (https://docs.mollie.com/reference/handling-errors).
type refusal struct {
	status               int
	title, field, detail string
}

// Error is what Mollie says.
func (r *refusal) Error() string {
	return fmt.Sprintf("mollie answered %d: %s: %s %s", r.status, r.title, r.field, r.detail)
}

// Unwrap returns billing.ErrRefused for what Mollie will not do, and billing.ErrWaiting for
// what is too much like another call just before. What may be another the next time has no
// cause, nor has a key that is not valid, which is the operator's to mend.
func (r *refusal) Unwrap() error {
	switch r.status {
	case http.StatusConflict:
		return billing.ErrWaiting
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return billing.ErrRefused
	}
	return nil
}

// get reads an object. fields narrow a list.
func (m *Mollie) get(ctx context.Context, path string, fields url.Values, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+path+"?"+fields.Encode(), nil)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	return m.send(request, into)
}

// act is a call that makes, changes or ends an object, once for a key.
type act struct {
	method, path, key string
	body              object
}

func (m *Mollie) do(ctx context.Context, of act, into any) error {
	content, err := json.Marshal(of.body, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a call to mollie: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, of.method, origin+of.path, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(keyHeader, payment.Once(of.key, of.method, of.path))
	return m.send(request, into)
}

func (m *Mollie) send(request *http.Request, into any) error {
	request.Header.Set("Authorization", "Bearer "+m.options.SecretKey.Reveal())
	return payment.Exchange(m.http, request, into, refused)
}

func refused(answer *http.Response) error {
	var wrong struct {
		Title  string `json:"title"`
		Field  string `json:"field"`
		Detail string `json:"detail"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Detail = "no error of the API"
	}
	return &refusal{answer.StatusCode, wrong.Title, wrong.Field, wrong.Detail}
}

// turn reads one page of a list, and returns where the next one begins; "" for nowhere.
func turn[T any](ctx context.Context, m *Mollie, path, from string) (items []T, next string, err error) {
	var got struct {
		// Embedded has one name, that of what is listed.
		Embedded map[string][]T `json:"_embedded"`
		Links    struct {
			Next link `json:"next"`
		} `json:"_links"`
	}
	fields := url.Values{"limit": {strconv.Itoa(perPage)}}
	if from != "" {
		fields.Set("from", from)
	}
	if err := m.get(ctx, path, fields, &got); err != nil {
		return nil, "", err
	}
	for _, some := range got.Embedded {
		items = append(items, some...)
	}
	// The address is taken for what it says of the next page, not called.
	if at, err := url.Parse(got.Links.Next.Href); err == nil {
		next = at.Query().Get("from")
	}
	return items, next, nil
}

// list reads a list, page by page, newest first: what is new meanwhile is missed, and nothing
// else.
func list[T any](ctx context.Context, m *Mollie, path string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for from, more := "", true; more; more = from != "" {
			items, next, err := turn[T](ctx, m, path, from)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range items {
				if !yield(one, nil) {
					return
				}
			}
			from = next
		}
	}
}

// collect reads a list whole.
func collect[T any](ctx context.Context, m *Mollie, path string) (all []T, err error) {
	for one, err := range list[T](ctx, m, path) {
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
