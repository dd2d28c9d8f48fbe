package execution

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
)

// farewell answers the repetition of the call that ended its own session. A client
// that lost the answer to its logout has no other credential to ask again with, and
// the token still proves by its signature which session calls. Only what was stored
// for that session, under that key and for that body, is told; nothing runs, and
// everything else is refused.
func (e *Engine) farewell(ctx context.Context, run *Run, refused error) ([]byte, error) {
	behind := run.answer.Identity
	repeats := run.IdempotencyKey != "" && run.Definition.Parting() && run.malformed == nil
	if !errors.Is(refused, session.ErrEnded) || !repeats || behind == nil || !behind.User.Usable(e.Clock.Now()) {
		return nil, refused
	}
	if err := limited(run.answer.Verdicts); err != nil {
		return nil, err
	}
	caller := access.Caller{Kind: access.Person, User: behind.User.ID, Session: behind.Session.ID, Org: behind.Session.OrgID}
	var data []byte
	err := e.Transactions.Within(ctx, func(ctx context.Context) (keep bool) {
		data, refused = e.parted(ctx, run, caller, refused)
		return false
	})
	if err != nil {
		return nil, err
	}
	return data, refused
}

// parted gives the stored answer of the call that ended the caller's session, else
// the refusal.
func (e *Engine) parted(ctx context.Context, run *Run, caller access.Caller, refused error) ([]byte, error) {
	key, body := e.fingerprint(run, caller)
	stored, found, err := e.Answers.Claim(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("look for the answer of an ended session: %w", err)
	}
	if !found || stored.Body != body {
		return nil, refused
	}
	first, err := e.open(key, stored)
	if err != nil {
		return nil, err
	}
	if first.Ended != caller.Session {
		return nil, refused
	}
	run.Replayed = true
	return first.Data, nil
}
