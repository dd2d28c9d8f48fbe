package paddle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"
	"github.com/PaddleHQ/paddle-go-sdk/v4/pkg/paddleerr"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/billing"
)

// version is the requested version of the API.
const version = "1"

// Codes of errors that are handled (https://developer.paddle.com/errors).
const (
	codeTaken     = "discount_code_conflict"
	codePending   = "adjustment_pending_refund_request"
	codeUnsettled = "adjustment_transaction_invalid_status_for_refund"
)

// refusal is an error of the API (https://developer.paddle.com/api-reference/about/errors).
type refusal struct {
	status  int
	request string
	cause   paddleerr.Error
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("paddle responded with HTTP status %d: %s: %s, request %s", r.status, r.cause.Code, r.cause.Detail, r.request)
}

// Unwrap returns billing.ErrRefused for a call that Paddle refuses for good. It returns nil for errors that may be
// temporary, and for an invalid key, which the operator has to correct.
func (r *refusal) Unwrap() error {
	if r.status == http.StatusBadRequest || r.status == http.StatusNotFound || r.status == http.StatusConflict {
		return billing.ErrRefused
	}
	return nil
}

// refusedFor reports whether an error is a refusal with one of the codes.
func refusedFor(err error, codes ...string) bool {
	refused, ok := errors.AsType[*refusal](err)
	for _, one := range codes {
		if ok && refused.cause.Code == one {
			return true
		}
	}
	return false
}

// caller is the HTTP client of the library.
type caller struct{ by *http.Client }

// Do sends a request with the version of the API. It fails with a refusal for an error response, and with
// errNothing for one that is no JSON object, for which the library would panic in a list.
func (c caller) Do(request *http.Request) (*http.Response, error) {
	request.Header.Set("Paddle-Version", version)
	answer, err := c.by.Do(request) //nolint:gosec // its address is the library's, or what the operator set
	if err != nil {
		return nil, fmt.Errorf("call paddle: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return nil, refused(answer)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read the response of paddle: %w", err)
	}
	if content := jsontext.Value(body); !content.IsValid() || content.Kind() != '{' {
		return nil, errNothing
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

func refused(answer *http.Response) error {
	var wrong struct {
		Error paddleerr.Error `json:"error"`
		Meta  struct {
			Request string `json:"request_id"`
		} `json:"meta"`
	}
	if err := json.UnmarshalRead(answer.Body, &wrong); err != nil {
		wrong.Error.Detail = "not an API error"
	}
	return &refusal{answer.StatusCode, wrong.Meta.Request, wrong.Error}
}

// list iterates over a list, page by page.
func list[T any](ctx context.Context, first *api.Collection[*T], err error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if _, err = present(first, err); err != nil {
			yield(nil, err)
			return
		}
		for {
			one := first.Next(ctx)
			if !one.Ok() && one.Err() == nil {
				return
			}
			item, err := present(one.Value(), one.Err())
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

var errNothing = errors.New("paddle responded without an object")

// present fails with errNothing if a call returned neither an object nor an error.
func present[T any](one *T, err error) (*T, error) {
	if one == nil && err == nil {
		err = errNothing
	}
	return one, err
}

// The maximum sizes of pages, which differ (https://developer.paddle.com/api-reference/about/pagination).
const (
	longPage         = 200
	transactionsPage = 30
)
