package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/wait"
)

// feedWait is the duration of a long poll of the event feed, in seconds.
const feedWait = 25

// feedEvent is an event of EVENT.LIST.
type feedEvent struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Org       string         `json:"org_id"`
	Data      jsontext.Value `json:"data"`

	// raw is the event as the service answered it.
	raw jsontext.Value
}

// feedQuery are the parameters of EVENT.LIST.
type feedQuery struct {
	Org    string    `json:"org_id,omitempty"`
	Types  []string  `json:"types,omitempty"`
	From   time.Time `json:"from,omitzero"`
	After  string    `json:"after,omitempty"`
	Cursor string    `json:"cursor,omitempty"`
	Wait   int       `json:"wait_seconds"`
}

// feed reads the event feed of a service.
type feed struct {
	app     *app
	request callRequest
	profile string
	query   feedQuery
}

// follow calls a function with each event until the context ends. Temporary errors are
// reported and retried.
func (f *feed) follow(ctx context.Context, do func(feedEvent) error) error {
	for {
		_, err := f.page(do)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			continue
		}
		if !passes(err) {
			return err
		}
		_, _ = fmt.Fprintf(f.app.Err, "%v\n", err)
		if err := wait.For(ctx, lookAgain); err != nil {
			return err
		}
	}
}

// passes reports whether an error of a call is temporary.
func passes(err error) bool {
	if refused, is := errors.AsType[*refusal](err); is {
		return refused.Code == "RATE_LIMITED" || refused.Code == "INTERNAL_ERROR"
	}
	_, unreachable := errors.AsType[*unreachableError](err)
	return unreachable
}

// page calls a function with each event of the next page, and reports whether there are
// more pages.
func (f *feed) page(do func(feedEvent) error) (more bool, err error) {
	params, err := jsonv2.Marshal(f.query)
	if err != nil {
		return false, fmt.Errorf("encode the parameters: %w", err)
	}
	f.request.body = callBody("EVENT.LIST", string(params))
	answer, err := f.app.callAs(&f.request, f.profile)
	if err != nil {
		return false, err
	}
	if !answer.ok {
		return false, refusalOf(answer.envelope)
	}
	var envelope struct {
		Data struct {
			Items []jsontext.Value `json:"items"`
			Next  string           `json:"next_cursor"`
		} `json:"data"`
	}
	if err := jsonv2.Unmarshal(answer.envelope, &envelope); err != nil {
		return false, &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
	}
	for _, item := range envelope.Data.Items {
		one := feedEvent{raw: item}
		if err := jsonv2.Unmarshal(item, &one); err != nil {
			return false, &unreachableError{cause: fmt.Errorf("read an event: %w", err)}
		}
		f.query.From, f.query.After = time.Time{}, one.ID
		if err := do(one); err != nil {
			return false, err
		}
	}
	f.query.Cursor = envelope.Data.Next
	return f.query.Cursor != "", nil
}
