package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound"
)

// patience is how long the calls of one run wait for other servers together.
const patience = 2 * time.Second

// externalResult is an external result, or its error.
type externalResult struct {
	value any
	err   error
}

// learn returns the result of a name. If it is missing, it fails with outside.Request. A
// failed look is not repeated.
func learn[T any](a *attempt, name string, look func(ctx context.Context) (T, error)) (T, error) {
	if found, known := a.learned[name]; known {
		value, _ := found.value.(T)
		return value, found.err
	}
	var none T
	return none, &outside.Request{Do: func(ctx context.Context) error {
		find := func() error {
			value, err := look(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a.learned[name] = externalResult{value, err}
			return nil
		}
		if a.call.DryRun { // whose transaction is taken back, and so must not pause
			return find()
		}
		outside.Stay(ctx)
		return a.flows.Transactions.Pause(ctx, find)
	}}
}

// Look returns the result of a name, obtained outside of the unit of work, for which it
// may fail with outside.Request. Without flows it calls look immediately.
func Look[T any](ctx context.Context, name string, look func(ctx context.Context) (T, error)) (T, error) {
	a := attemptOf(ctx)
	if a == nil {
		return look(ctx)
	}
	return learn(a, name, look)
}

// effects is how one flow of an attempt reaches beyond its facts.
type effects struct {
	*attempt

	by *selectedFlow
}

func (e effects) name(what, node string) string { return what + "/" + e.by.ID.String() + "/" + node }

// Listed looks at a list of the scope of the flow.
func (e effects) Listed(_ context.Context, list iprule.List, address netip.Addr) (bool, error) {
	return learn(e.attempt, e.name("list", string(list)), func(ctx context.Context) (bool, error) {
		return e.flows.Lists.Contains(ctx, e.by.OrgID, list, address)
	})
}

// Count counts across all replicas.
func (e effects) Count(_ context.Context, node, key string, rule limit.Rule) (bool, error) {
	if e.call.DryRun {
		return false, nil
	}
	return learn(e.attempt, e.name("count", node), func(ctx context.Context) (bool, error) {
		counter := e.flows.Blinder.Index(label.FlowRateLimit, e.name(key, node))
		answer, err := e.flows.Admission.Admit(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{{Key: counter, Rule: rule}}})
		if err != nil || len(answer.Verdicts) != 1 {
			return false, fmt.Errorf("count a run: %w", errors.Join(err, errUncounted))
		}
		return !answer.Verdicts[0].Allowed, nil
	})
}

// Errors of effects.
var (
	errUncounted = errors.New("the counter did not respond")
	errDryRun    = errors.New("a dry run calls no external server")
	errAnswer    = errors.New("the response must be a JSON object {decision, reason?, claims?} of at most 4 KiB")
)

// Ask posts the context to a server.
func (e effects) Ask(_ context.Context, node string, hook plan.Hook, facts plan.Facts) (plan.Answer, error) {
	if e.call.DryRun {
		return plan.Answer{}, errDryRun
	}
	return learn(e.attempt, e.name("ask", node), func(ctx context.Context) (plan.Answer, error) {
		left := patience - e.waited
		if left <= 0 {
			return plan.Answer{}, plan.ErrNoTime
		}
		began := e.flows.Clock.Now()
		ctx, cancel := context.WithTimeout(ctx, min(left, hook.Timeout))
		defer cancel()
		answer, err := e.flows.ask(ctx, e.by.ID, hook.URL, facts)
		e.waited += e.flows.Clock.Now().Sub(began)
		return answer, err
	})
}

// question is the body of a request to another server.
type question struct {
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	Data      map[string]any `json:"data"`
}

func (f *Flows) ask(ctx context.Context, of flow.ID, url string, facts plan.Facts) (plan.Answer, error) {
	now := f.Clock.Now()
	body, err := strictjson.Encode(question{"flow.check", now, facts.Values})
	if err != nil {
		return plan.Answer{}, fmt.Errorf("encode the context: %w", err)
	}
	to := webhook.Snapshot{URL: url, Secrets: []webhook.Secret{{Key: f.secret(of)}}}
	given := f.Sender.Send(ctx, to, webhook.Message{ID: f.IDs.Mint("msg"), Body: body}, now)
	switch {
	case given.Error != "":
		return plan.Answer{}, errors.New(given.Error)
	case !given.Succeeded():
		return plan.Answer{}, fmt.Errorf("the server responded with HTTP status %d", given.StatusCode)
	}
	var answer plan.Answer
	if json.Unmarshal([]byte(given.Excerpt), &answer) != nil {
		return plan.Answer{}, errAnswer
	}
	return answer, nil
}

// Secret returns the signing secret of a flow's requests, in the format of Standard
// Webhooks libraries.
func (f *Flows) Secret(of flow.ID) string { return webhook.FormatSecret(f.secret(of)) }

func (f *Flows) secret(of flow.ID) []byte { return f.Key.Sum(label.FlowSecret, of.String()) }
