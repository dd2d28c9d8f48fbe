package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Errors of the Idempotency-Key header.
var (
	errAnonymousKey = fault.New(fault.Validation, "Idempotency-Key requires authentication: send a credential or omit the header")
	errOtherBody    = fault.New(fault.Validation, "this Idempotency-Key was already used with different parameters: use a new key")
)

// answer is a stored outcome: a result, or a refusal of the handler.
type answer struct {
	Data    []byte        `json:"data,omitzero"`
	Code    fault.Code    `json:"code,omitzero"`
	Message string        `json:"message,omitzero"`
	Fields  []fault.Field `json:"fields,omitzero"`
	Flow    *fault.Flow   `json:"flow,omitzero"`
	// Ended is the session or API key that the call ended, when it was the caller's own.
	Ended string `json:"ended,omitzero"`
}

// idempotent returns the stored reply for a repeated call. The key is locked by the
// transaction of the effects, so a concurrent call waits, and a crash keeps either both
// or neither; for a command with external effects, earlier effects are kept. An
// INTERNAL_ERROR is not stored, nor that the service is busy, so that the next call tries
// again, nor is the refusal of a credential that ended meanwhile.
func (e *Engine) idempotent(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if run.IdempotencyKey == "" {
			return next(ctx, run)
		}
		if !run.Caller.Authenticated() {
			return nil, errAnonymousKey
		}
		if run.Definition.Effect == command.Reads {
			return next(ctx, run)
		}
		for {
			data, err := e.within(ctx, run, next)
			if !errors.Is(err, outbound.ErrAnswerPending) {
				return data, err
			}
			if err := wait.For(ctx, twinPause); err != nil {
				return nil, err
			}
		}
	}
}

// twinPause is how long a call waits before it looks again for the answer of its
// twin, which waits for something outside.
const twinPause = 100 * time.Millisecond

// within runs the command in one transaction with its answer.
func (e *Engine) within(ctx context.Context, run *Run, next Step) (data []byte, refused error) {
	err := e.transact(ctx, run, func(ctx context.Context) (keep bool) {
		data, keep, refused = e.once(ctx, run, next)
		return keep
	})
	if err != nil {
		return nil, err
	}
	return data, refused
}

// once answers from the store, or runs the command and stores its answer. It
// reports whether the transaction is to be kept.
func (e *Engine) once(ctx context.Context, run *Run, next Step) ([]byte, bool, error) {
	key, body := e.fingerprint(run, run.Caller)
	stored, found, err := e.Answers.Claim(ctx, key)
	if err != nil {
		return nil, false, fmt.Errorf("claim idempotency key: %w", err)
	}
	if found {
		data, err := e.replay(run, key, body, stored)
		return data, false, err
	}
	data, refused := next(ctx, run)
	if run.acting.Refused() || passing(refused) {
		return nil, false, refused
	}
	if err := e.keep(ctx, run, storedResult{key, body, run.outcome(data, refused)}); err != nil {
		return nil, false, err
	}
	return data, true, refused
}

// passing reports whether a refusal is not due to the call, which may pass when it is made again.
func passing(refused error) bool {
	if refused == nil {
		return false
	}
	failure := fault.From(refused)
	return failure.Code == fault.Internal || failure.Service
}

// fingerprint returns the identity of a key, and of the request it was used with.
func (e *Engine) fingerprint(run *Run, caller access.Caller) (key, body string) {
	whose := caller.Subject() + "|" + caller.Org.String() // in another workspace the effect is another
	key = e.Blinder.Index(label.Idempotency, whose+"|"+run.Definition.Name+"|"+run.IdempotencyKey)
	return key, e.Blinder.Index(label.IdempotencyBody, fmt.Sprintf("%t|%s", run.DryRun, run.Params))
}

func (e *Engine) replay(run *Run, key, body string, stored outbound.StoredAnswer) ([]byte, error) {
	if stored.Body != body {
		return nil, errOtherBody
	}
	first, err := e.open(key, stored)
	if err != nil {
		return nil, err
	}
	run.Replayed = true
	if first.Code != "" {
		return nil, &fault.Error{Code: first.Code, Message: first.Message, Fields: first.Fields, Flow: first.Flow}
	}
	return first.Data, nil
}

func (e *Engine) open(key string, stored outbound.StoredAnswer) (answer, error) {
	var first answer
	plain, err := e.AnswerSealer.Open(stored.Answer, place(key))
	if err != nil {
		return first, fmt.Errorf("open stored answer: %w", err)
	}
	if err := strictjson.Decode([]byte(plain), &first); err != nil {
		return first, fmt.Errorf("read stored answer: %w", err)
	}
	return first, nil
}

// outcome returns the stored form of a result.
func (r *Run) outcome(data []byte, refused error) answer {
	if refused != nil {
		failure := fault.From(refused)
		return answer{Code: failure.Code, Message: failure.Message, Fields: failure.Fields, Flow: failure.Flow}
	}
	first := answer{Data: data}
	if !r.DryRun && r.Definition.EndsOwn(r.Caller, r.Arguments) {
		first.Ended = presence(r.Caller)
	}
	return first
}

// storedResult is the stored value of a key: the result of a call with a body.
type storedResult struct {
	key, body string
	first     answer
}

// keep stores a result. It fails like workspace.OverQuota.
func (e *Engine) keep(ctx context.Context, run *Run, k storedResult) error {
	plain, err := strictjson.Encode(k.first)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	sealed, most := e.AnswerSealer.Seal(string(plain), place(k.key)), run.State.Settings.MaxStoredAnswers
	err = e.Answers.Keep(ctx, k.key, outbound.StoredAnswer{Body: k.body, Answer: sealed}, outbound.AnswerQuota{Org: run.Caller.Org.String(), Most: most})
	if errors.Is(err, outbound.ErrTooManyAnswers) {
		return workspace.OverQuota(most, "stored idempotent response", "wait up to 24 hours, call without an Idempotency-Key", "max_stored_answers")
	}
	return err
}

func place(key string) string { return "idempotency/answer/" + key }
