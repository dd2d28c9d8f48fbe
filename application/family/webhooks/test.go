package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/relay"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/webhook"
)

// TestParams are the parameters of WEBHOOK.TEST.
type TestParams struct {
	WebhookID webhook.ID `json:"webhook_id" doc:"ID of the webhook endpoint. The endpoint can be disabled."`
	Type      event.Kind `json:"type,omitzero" doc:"Event type whose published example to send. Defaults to session.revoked." jsonschema:"minLength=1,maxLength=100,example=user.created"`
}

// TestResult is the result of WEBHOOK.TEST.
type TestResult struct {
	Delivered       bool   `json:"delivered" doc:"Whether the receiver accepted the message with a 2xx response."`
	StatusCode      *int   `json:"status_code" doc:"HTTP status of the response. Null if there was no response."`
	DurationMS      int    `json:"duration_ms" doc:"Time the attempt took. Milliseconds."`
	ResponseExcerpt string `json:"response_excerpt" doc:"Beginning of the response, at most 4 KiB. If the response is empty or missing, the error."`
}

const exampleKind event.Kind = "session.revoked"

const testsPerMinute = 10

func (s *Service) test() command.Definition {
	return command.Define(command.Spec[TestParams, TestResult]{
		Name:    "WEBHOOK.TEST",
		Summary: "Send a test message to a webhook endpoint.",
		Description: "Sends the published example of an event type, signed like any other message, and returns the response. The message is attempted once, " +
			"immediately, and does not appear among deliveries.",
		Access: access.Holding(writing),
		Effect: command.Outside,
		Limits: []limit.Spec{limit.PerMinute(limit.Token, testsPerMinute)},
		Handle: func(ctx context.Context, call command.Call, p TestParams) (TestResult, error) {
			to, err := s.target(ctx, call.Caller, p.WebhookID)
			if err != nil {
				return TestResult{}, err
			}
			if p.Type == "" {
				p.Type = exampleKind
			}
			kind, known := s.Kinds().Find(p.Type)
			if !known {
				return TestResult{}, fault.Unfit("/type", "is not a known event type: see EVENT.KIND_LIST")
			}
			now := s.now()
			body, err := relay.Body(event.Record{ID: event.NewID(s.IDs), Kind: kind.Type, At: now, Data: kind.Example})
			if err != nil {
				return TestResult{}, err
			}
			var made webhook.Attempt
			err = s.Transactions.Pause(ctx, func() error {
				made = s.Sender.Send(ctx, to, webhook.Message{ID: webhook.NewDeliveryID(s.IDs).String(), Body: body}, now)
				return nil
			})
			shown := attempted(made)
			return TestResult{
				Delivered: made.Succeeded(), StatusCode: shown.StatusCode, DurationMS: shown.DurationMS,
				ResponseExcerpt: either(made.Excerpt, made.Error),
			}, err
		},
	})
}

// target reads a webhook in a unit of work, which does not run for a credential that has ended.
func (s *Service) target(ctx context.Context, caller access.Caller, id webhook.ID) (to webhook.Snapshot, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		e, err := held(ctx, tx, caller, id)
		if err == nil {
			to = e.Snapshot()
		}
		return err
	})
	return to, err
}

func either(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// Attempt is an attempt in results.
type Attempt struct {
	At              time.Time `json:"at" doc:"When the attempt was made."`
	StatusCode      *int      `json:"status_code" doc:"HTTP status of the response. Null if there was no response."`
	DurationMS      int       `json:"duration_ms" doc:"Time the attempt took. Milliseconds."`
	Error           *string   `json:"error" doc:"Error that prevented a response. Null if there was none."`
	ResponseExcerpt string    `json:"response_excerpt" doc:"Beginning of the response, at most 4 KiB."`
}

func attempted(a webhook.Attempt) Attempt {
	shown := Attempt{At: a.At, DurationMS: int(a.Duration.Milliseconds()), ResponseExcerpt: a.Excerpt}
	if a.StatusCode != 0 {
		shown.StatusCode = &a.StatusCode
	}
	if a.Error != "" {
		shown.Error = &a.Error
	}
	return shown
}
