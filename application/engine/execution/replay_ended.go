package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// replayEnded answers a repetition of the call that ended its own session or API key. A
// client that lost the response has no other credential to repeat the call, and the
// ended one still identifies the caller. It returns only the stored reply for that
// caller, key and body; everything else is refused.
func (e *Engine) replayEnded(ctx context.Context, run *Run, refused error) ([]byte, error) {
	if run.IdempotencyKey == "" || !run.Definition.Parting() || run.malformed != nil {
		return nil, refused
	}
	caller, ended := e.endedCaller(ctx, run, refused)
	if !ended {
		return nil, refused
	}
	if err := limited(run.answer.Verdicts); err != nil {
		return nil, err
	}
	var data []byte
	err := e.transact(ctx, run, func(ctx context.Context) (keep bool) {
		data, refused = e.storedAnswer(ctx, run, caller, refused)
		return false
	})
	if err != nil {
		return nil, err
	}
	return data, refused
}

// endedCaller returns the caller as if the session or key had not been ended; false if they
// would be refused for another reason.
func (e *Engine) endedCaller(ctx context.Context, run *Run, refused error) (access.Caller, bool) {
	behind, key, now := run.answer.Identity, run.answer.Key, e.Clock.Now()
	of := func(org workspace.ID) access.Caller {
		return access.Caller{Kind: run.presented.kind, User: behind.User.ID, Session: behind.Session.ID, Org: org}
	}
	switch {
	case errors.Is(refused, session.ErrEnded) && behind != nil:
		return of(behind.Session.OrgID), !behind.Failing(now).Any(liveness.SessionRotates)
	case errors.Is(refused, token.ErrMoved):
		// The call may be the one that moved the session to another workspace.
		return of(workspace.ID(run.presented.token.Org)), true
	case errors.Is(refused, workspace.ErrNotFound) && run.visits():
		// The call may be the one that deleted the workspace it names.
		return of(run.place), true
	case errors.Is(refused, errKey) && key != nil:
		before := *key
		before.RevokedAt = time.Time{}
		caller, err := e.keyCaller(ctx, run, &before, now)
		return caller, err == nil
	}
	return access.Caller{}, false
}

// storedAnswer returns the stored answer of the call that ended the caller's session or key,
// else the refusal.
func (e *Engine) storedAnswer(ctx context.Context, run *Run, caller access.Caller, refused error) ([]byte, error) {
	key, body := e.fingerprint(run, caller)
	stored, found, err := e.Answers.Claim(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("look for the answer to a caller whose credential ended: %w", err)
	}
	if !found || stored.Body != body {
		return nil, refused
	}
	first, err := e.open(key, stored)
	if err != nil {
		return nil, err
	}
	if first.Ended != presence(caller) {
		return nil, refused
	}
	run.Replayed = true
	return first.Data, nil
}

// presence returns the identifier of the session or key of a caller.
func presence(caller access.Caller) string {
	return cmp.Or(caller.Session.String(), caller.APIKey.String())
}
