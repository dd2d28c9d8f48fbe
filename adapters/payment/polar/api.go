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

// version is that of the API, for the form of all answers.
const version = "2026-04"

// perPage is the most that a page of a list holds.
const perPage = 100

// object is what is sent.
type object = map[string]any

// refusal is an answer that is an error.
type refusal struct {
	status        int
	kind, message string
}

// Error returns what Polar says.
func (r *refusal) Error() string {
	return fmt.Sprintf("polar answered %d: %s, %s", r.status, r.kind, r.message)
}

// Unwrap returns billing.ErrRefused for what Polar will not do, and billing.ErrWaiting for
// what another call is in the way of. What may be another the next time has no cause, nor has
// a token that is not valid or may not do that, which is the operator's to mend.
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

// get reads an object. fields narrow a list.
func (p *Polar) get(ctx context.Context, path string, fields url.Values, into any) error {
	if len(fields) > 0 {
		path += "?" + fields.Encode()
	}
	return p.call(ctx, http.MethodGet, path, nil, into)
}

// call sends a call; a nil body is none.
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

// flaw is one field of a call that Polar does not take. What stood there is not read: it may
// be of a person.
type flaw struct {
	Where   []any  `json:"loc"`
	Message string `json:"msg"`
}

func (f flaw) String() string { return fmt.Sprint(f.Where, " ", f.Message) }

// refused reads an error, whose detail is a text or a list of flaws.
func refused(answer *http.Response) error {
	var wrong struct {
		Kind   string `json:"error"`
		Detail detail `json:"detail"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Detail = "no error of the API"
	}
	return &refusal{answer.StatusCode, wrong.Kind, string(wrong.Detail)}
}

type detail string

// UnmarshalJSON reads either form.
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

// list reads a list, page by page, newest first: what is new meanwhile is missed, and nothing
// else.
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

// collect reads a list whole.
func collect[T any](ctx context.Context, p *Polar, path string, fields url.Values) (all []T, err error) {
	for one, err := range list[T](ctx, p, path, fields) {
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// marked returns the identifier of the first of a list that has a name in its metadata; "" for
// none.
func (p *Polar) marked(ctx context.Context, path string, fields url.Values, name, value string) (string, error) {
	for one, err := range list[named](ctx, p, path, fields) {
		if err != nil || one.Metadata.text(name) == value {
			return one.ID, err
		}
	}
	return "", nil
}

// metadata is what objects are marked with.
type metadata map[string]any

// text returns a value that we set; "" for none.
func (m metadata) text(name string) string {
	text, _ := m[name].(string)
	return text
}

// by asks for what is marked with a name.
func by(name, value string) url.Values { return url.Values{"metadata[" + name + "]": {value}} }
