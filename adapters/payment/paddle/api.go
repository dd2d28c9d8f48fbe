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

// version is that of the API, for the form of all answers.
const version = "1"

// Codes of errors that are looked at (https://developer.paddle.com/errors).
const (
	codePending   = "adjustment_pending_refund_request"
	codeUnsettled = "adjustment_transaction_invalid_status_for_refund"
)

// refusal is an answer that is an error (https://developer.paddle.com/api-reference/about/errors).
type refusal struct {
	status  int
	request string
	told    paddleerr.Error
}

// Error returns what Paddle says.
func (r *refusal) Error() string {
	return fmt.Sprintf("paddle answered %d: %s: %s, request %s", r.status, r.told.Code, r.told.Detail, r.request)
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
		if ok && refused.told.Code == one {
			return true
		}
	}
	return false
}

// caller makes the calls of the library.
type caller struct{ by *http.Client }

// Do makes a call, by the version of the API. It fails with a refusal for an answer that is an
// error, and for one that is no object: the library panics where a list is none.
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
		return nil, fmt.Errorf("read the answer of paddle: %w", err)
	}
	if told := jsontext.Value(body); !told.IsValid() || told.Kind() != '{' {
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
		wrong.Error.Detail = "no error of the API"
	}
	return &refusal{answer.StatusCode, wrong.Meta.Request, wrong.Error}
}

// list reads a list, page by page.
func list[T any](ctx context.Context, first *api.Collection[*T], err error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if _, err = there(first, err); err != nil {
			yield(nil, err)
			return
		}
		for {
			one := first.Next(ctx)
			if !one.Ok() && one.Err() == nil {
				return
			}
			item, err := there(one.Value(), one.Err())
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

var errNothing = errors.New("paddle answers without an object")

// there fails where an answer is no error and nothing else either.
func there[T any](one *T, err error) (*T, error) {
	if one == nil && err == nil {
		err = errNothing
	}
	return one, err
}

// Lengths of pages, which differ (https://developer.paddle.com/api-reference/about/pagination).
const (
	longPage         = 200
	transactionsPage = 30
)
