package paddle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// Where Paddle is, for real money and for trials.
const (
	liveOrigin = "https://api.paddle.com/"
	testOrigin = "https://sandbox-api.paddle.com/"
	// version is that of the API, for the form of all answers.
	version = "1"
)

// Codes of errors that are looked at (https://developer.paddle.com/errors).
const (
	codePending   = "adjustment_pending_refund_request"
	codeUnsettled = "adjustment_transaction_invalid_status_for_refund"
)

// object is what is sent.
type object = map[string]any

// refusal is an answer that is an error (https://developer.paddle.com/api-reference/about/errors).
type refusal struct {
	status                int
	request, code, detail string
}

// Error is what Paddle says.
func (r *refusal) Error() string {
	return fmt.Sprintf("paddle answered %d: %s: %s, request %s", r.status, r.code, r.detail, r.request)
}

// Unwrap returns billing.ErrRefused for what Paddle will not do. What may be another the next
// time has no cause, nor has a key that is not valid, which is the operator's to mend.
func (r *refusal) Unwrap() error {
	if r.status == http.StatusBadRequest || r.status == http.StatusNotFound || r.status == http.StatusConflict {
		return billing.ErrRefused
	}
	return nil
}

// refusedFor reports whether an error is a refusal with a code.
func refusedFor(err error, codes ...string) bool {
	refused, ok := errors.AsType[*refusal](err)
	for _, one := range codes {
		if ok && refused.code == one {
			return true
		}
	}
	return false
}

func (p *Paddle) origin() string {
	if p.options.Mode == billing.Live {
		return liveOrigin
	}
	return testOrigin
}

// get reads an object. fields narrow or widen it.
func (p *Paddle) get(ctx context.Context, path string, fields url.Values, into any) error {
	return p.call(ctx, http.MethodGet, path+"?"+fields.Encode(), nil, &answered{Data: into})
}

// post makes an object, or does something to one. There are no keys by which Paddle knows a
// call again.
func (p *Paddle) post(ctx context.Context, path string, body object, into any) error {
	return p.call(ctx, http.MethodPost, path, body, &answered{Data: into})
}

// patch changes an object.
func (p *Paddle) patch(ctx context.Context, path string, body object, into any) error {
	return p.call(ctx, http.MethodPatch, path, body, &answered{Data: into})
}

// answered is what every answer is wrapped in.
type answered struct {
	Data any `json:"data"`
	Meta struct {
		Pagination struct {
			HasMore bool `json:"has_more"`
		} `json:"pagination"`
	} `json:"meta"`
}

func (p *Paddle) call(ctx context.Context, method, path string, body object, into any) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body, json.Deterministic(true)); err != nil {
			return fmt.Errorf("write a request: %w", err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, p.origin()+path, bytes.NewReader(sent))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+p.options.SecretKey.Reveal())
	request.Header.Set("Paddle-Version", version)
	return payment.Exchange(p.http, request, into, refused)
}

func refused(answer *http.Response) error {
	var wrong struct {
		Error struct {
			Code   string `json:"code"`
			Detail string `json:"detail"`
		} `json:"error"`
		Meta struct {
			Request string `json:"request_id"`
		} `json:"meta"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Error.Detail = "no error of the API"
	}
	return &refusal{answer.StatusCode, wrong.Meta.Request, wrong.Error.Code, wrong.Error.Detail}
}

// listed is what lists hold.
type listed interface{ id() string }

// list reads a list, page by page; most is how long a page may be.
func list[T listed](ctx context.Context, p *Paddle, path string, fields url.Values, most int) iter.Seq2[T, error] {
	fields.Set("per_page", strconv.Itoa(most))
	return func(yield func(T, error) bool) {
		for more := true; more; {
			var page []T
			got := answered{Data: &page}
			if err := p.call(ctx, http.MethodGet, path+"?"+fields.Encode(), nil, &got); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
				fields.Set("after", one.id())
			}
			more = got.Meta.Pagination.HasMore && len(page) > 0
		}
	}
}

// Lengths of pages, which differ (https://developer.paddle.com/api-reference/about/pagination).
const (
	longPage         = 200
	transactionsPage = 30
	adjustmentsPage  = 50
)
