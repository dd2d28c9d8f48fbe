package plan

import (
	"context"
	"errors"
	"maps"
	"time"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/flow"
)

// WebhookCheck is the type of nodes that call other servers.
const WebhookCheck = "webhook_check"

// The outputs of webhook_check.
const (
	allowed = "allow"
	denied  = "deny"
	failed  = "error"
)

type webhookConfig struct {
	URL       string `json:"url" doc:"URL that receives the context in a signed POST. Must be https and not on a private network, unless the operator allows webhooks there." jsonschema:"minLength=1,maxLength=2000,pattern=^https?://[!-~]+$,example=https://hooks.example.com/sign-in"`
	TimeoutMS int    `json:"timeout_ms,omitzero" doc:"Timeout. Milliseconds. Defaults to 1,000. All calls of a run share 2,000." jsonschema:"minimum=50,maximum=1500"`
	OnError   string `json:"on_error" doc:"Decision if no valid answer arrives and no edge for the output error exists." jsonschema:"enum=deny,enum=allow,example=deny"`
}

const defaultTimeout = 1000

func webhookCheck() Kind {
	return define(Kind{
		Type: WebhookCheck, Summary: "Asks your server with a POST of the context, signed like webhooks with the secret from FLOW.UPDATE. It answers {decision, reason?, claims?}.",
		Outputs: []string{allowed, denied, failed},
		Example: flow.Config{"url": "https://hooks.example.com/sign-in", "timeout_ms": 1000, "on_error": "deny"},
	}, func(b *builder, c webhookConfig) act {
		b.reads(everything)
		if b.Guard != nil && b.Guard.Check(c.URL) != nil {
			b.complain("must be an https URL outside private networks", "config", "url")
		}
		if c.TimeoutMS == 0 {
			c.TimeoutMS = defaultTimeout
		}
		hook := Hook{URL: c.URL, Timeout: time.Duration(c.TimeoutMS) * time.Millisecond}
		return func(ctx context.Context, r *run) (string, error) {
			answer, err := r.effects.Ask(ctx, r.node, hook, r.facts)
			if _, wanted := errors.AsType[*outside.Request](err); wanted || errors.Is(err, ErrNoTime) {
				return "", err
			}
			if err == nil {
				err = r.take(answer)
			}
			if err != nil {
				return r.unanswered(c, err)
			}
			return r.answered(answer)
		}
	})
}

// errAnswer is returned for an invalid response.
var errAnswer = errors.New("the response must be {decision: allow or deny, reason?, claims?}")

// maxReason is how many characters of a reason are shown.
const maxReason = 200

// take checks an answer and takes its claims: all of them, or none where it fails.
func (r *run) take(a Answer) error {
	if a.Decision != allowed && a.Decision != denied || len([]rune(a.Reason)) > maxReason {
		return errAnswer
	}
	before := maps.Clone(r.outcome.Demand.Claims)
	for name, value := range a.Claims {
		if !claimName.MatchString(name) || app.ReservedClaim(name) {
			r.outcome.Demand.Claims = before
			return errAnswer
		}
		if err := r.claim(name, value); err != nil {
			r.outcome.Demand.Claims = before
			return err
		}
	}
	return nil
}

// answered continues with a decision; a decision without an edge is enforced.
func (r *run) answered(a Answer) (string, error) {
	r.detail = a.Reason
	if a.Decision == denied && !r.edges(denied) {
		r.outcome.Denied, r.outcome.Reason = true, a.Reason
	}
	return a.Decision, nil
}

func (r *run) unanswered(c webhookConfig, err error) (string, error) {
	r.detail = err.Error()
	switch {
	case r.edges(failed):
		return failed, nil
	case c.OnError == denied:
		r.outcome.Denied, r.outcome.Reason = true, flow.Failed
		return failed, nil
	default:
		return allowed, nil
	}
}
