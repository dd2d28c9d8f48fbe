package polar

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// version is the requested version of the API.
const version = "2026-04"

// perPage is the maximum size of a page.
const perPage = 100

// object is the body of a request, or a part of it.
type object = map[string]any

// refusal is an error of the API.
type refusal struct {
	status        int
	kind, message string
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("polar responded with HTTP status %d: %s, %s", r.status, r.kind, r.message)
}

// Unwrap returns billing.ErrRefused for a call that Polar refuses for good, and billing.ErrWaiting for one that
// conflicts with another call. It returns nil for errors that may be temporary, and for an invalid token or one
// without the scope, which the operator has to correct.
func (r *refusal) Unwrap() error {
	switch r.status {
	case http.StatusConflict:
		return billing.ErrWaiting
	case http.StatusForbidden:
		if r.kind == "insufficient_scope" {
			return nil
		}
		return billing.ErrRefused
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return billing.ErrRefused
	}
	return nil
}

// get reads an object or a list; fields are the parameters of the query.
func (p *Polar) get(ctx context.Context, path string, fields url.Values, into any) error {
	if len(fields) > 0 {
		path += "?" + fields.Encode()
	}
	return p.call(ctx, http.MethodGet, path, nil, into)
}

// call sends a request; body may be nil.
func (p *Polar) call(ctx context.Context, method, path string, body, into any) error {
	var content bytes.Buffer
	if body != nil {
		if err := json.MarshalWrite(&content, body, json.Deterministic(true)); err != nil {
			return fmt.Errorf("encode a call to polar: %w", err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, p.origin+path, &content)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+p.options.SecretKey.Reveal())
	request.Header.Set("Polar-Version", version)
	return payment.Exchange(p.http, request, into, refused)
}

// flaw is an invalid field of a request. Its value is not decoded, because it may be personal data.
type flaw struct {
	Where   []any  `json:"loc"`
	Message string `json:"msg"`
}

func (f flaw) String() string { return fmt.Sprint(f.Where, " ", f.Message) }

// refused decodes an error response.
func refused(answer *http.Response) error {
	var wrong struct {
		Kind   string `json:"error"`
		Detail detail `json:"detail"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Detail = "not an API error"
	}
	return &refusal{answer.StatusCode, wrong.Kind, string(wrong.Detail)}
}

// detail is the detail of an error: a text, or a list of flaws.
type detail string

// UnmarshalJSON implements json.Unmarshaler.
func (d *detail) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		var flaws []flaw
		if err := json.Unmarshal(data, &flaws); err != nil {
			return fmt.Errorf("read an error of polar: %w", err)
		}
		all := make([]string, 0, len(flaws))
		for _, one := range flaws {
			all = append(all, one.String())
		}
		*d = detail(strings.Join(all, "; "))
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("read an error of polar: %w", err)
	}
	*d = detail(text)
	return nil
}

// page is one page of a list.
type page[T any] struct {
	Items      []T `json:"items"`
	Pagination struct {
		Last int `json:"max_page"`
	} `json:"pagination"`
}

// list iterates over a list, newest first. Only items that are added meanwhile are missed.
func list[T any](ctx context.Context, p *Polar, path string, fields url.Values) iter.Seq2[T, error] {
	fields.Set("limit", strconv.Itoa(perPage))
	return func(yield func(T, error) bool) {
		for n, last := 1, 1; n <= last; n++ {
			fields.Set("page", strconv.Itoa(n))
			var got page[T]
			if err := p.get(ctx, path, fields, &got); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range got.Items {
				if !yield(one, nil) {
					return
				}
			}
			last = got.Pagination.Last
		}
	}
}

// collect returns all items of a list.
func collect[T any](ctx context.Context, p *Polar, path string, fields url.Values) (all []T, err error) {
	for one, err := range list[T](ctx, p, path, fields) {
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// marked returns the identifier of the first item of a list with a value in its metadata; "" for none.
func (p *Polar) marked(ctx context.Context, path string, fields url.Values, name, value string) (string, error) {
	for one, err := range list[namedObject](ctx, p, path, fields) {
		if err != nil || one.Metadata.text(name) == value {
			return one.ID, err
		}
	}
	return "", nil
}

// metadata is the metadata of an object.
type metadata map[string]any

// text returns a value that is a string; "" for none.
func (m metadata) text(name string) string {
	text, _ := m[name].(string)
	return text
}

// byMetadata returns the query for objects with a value in their metadata.
func byMetadata(name, value string) url.Values { return url.Values{"metadata[" + name + "]": {value}} }
