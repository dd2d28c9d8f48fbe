package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// TokenIssues stores tokens that were issued to apps.
func (s *Store) TokenIssues() machines.TokenIssues { return s.issues }

// issues stores tokens in batches, each of which is one commit.
type issues struct {
	store *Store
	group batch.Group[issue, struct{}]
	// counting batches the tokens that also count their calls.
	counting batch.Group[issue, struct{}]
}

// issue is one token to store, with its encoded events.
type issue struct {
	jti    string
	state  []any
	events [][]any
	// runs are the runs of the flows that decided about it.
	runs Rows
	// call is the call to count with it; nil if it was counted before.
	call *pending
}

func newIssues(s *Store) *issues {
	i := &issues{store: s}
	i.group.Run, i.counting.Run = i.run, i.runCounting
	return i
}

// Issue stores a token, batched with concurrent calls, or in the transaction around the command.
func (i *issues) Issue(ctx context.Context, token m2m.Issued, decidedBy []flow.Run, happened ...event.Data) error {
	one, err := i.encode(ctx, token, decidedBy, happened)
	if err != nil {
		return err
	}
	if outer, ok := i.store.ambient(ctx); ok {
		err = outer.Savepoint(ctx, func(tx *Tx) error {
			stored, err := i.write(ctx, tx, []issue{one})
			if err == nil && !stored[one.jti] {
				return aggregate.ErrConflict
			}
			return err
		})
	} else if one.call = i.store.pending(ctx); one.call != nil {
		_, err = i.counting.Do(ctx, one)
	} else {
		_, err = i.group.Do(ctx, one)
	}
	if err != nil {
		return fmt.Errorf("store an issued token: %w", err)
	}
	for _, data := range happened {
		event.Stored(ctx, data.Kind())
	}
	return nil
}

func (i *issues) encode(ctx context.Context, t m2m.Issued, decidedBy []flow.Run, happened []event.Data) (issue, error) {
	one := issue{
		jti: t.JTI,
		state: []any{
			t.JTI, t.App.String(), t.AppVersion, t.Scope, t.Audience, t.Epoch, t.AudienceVersion, t.JKT, At(t.IssuedAt), At(t.ExpiresAt),
		},
	}
	var err error
	if one.events, err = i.store.eventRows(ctx, happened); err != nil {
		return issue{}, err
	}
	one.runs, err = i.store.flowRunRows(decidedBy)
	return one, err
}

// run stores a batch in one transaction.
func (i *issues) run(ctx context.Context, asked []issue) ([]batch.Outcome[struct{}], error) {
	var stored map[string]bool
	err := i.store.retry(ctx, func() (err error) {
		if i.store.database.ChangesInWith {
			args, decided := tables(asked)
			text := issueAtOnce
			if decided {
				text = issueDecided
			}
			stored, err = i.issued(ctx, text, args...)
			return err
		}
		return i.store.transactOn(ctx, i.store.hot, func(tx *Tx) (err error) {
			stored, err = i.write(ctx, tx, asked)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]batch.Outcome[struct{}], len(asked))
	for n, one := range asked {
		if !stored[one.jti] {
			outcomes[n].Err = aggregate.ErrConflict
		}
	}
	return outcomes, nil
}

// runCounting stores a batch and counts its calls. Tokens whose calls a limit refuses are
// neither stored nor counted. If the memory was outdated, none are.
func (i *issues) runCounting(ctx context.Context, asked []issue) ([]batch.Outcome[struct{}], error) {
	i.store.memory.turn.Lock()
	defer i.store.memory.turn.Unlock()
	outcomes, asks := make([]batch.Outcome[struct{}], len(asked)), make([]outbound.AdmissionAsk, len(asked))
	for n, one := range asked {
		asks[n], outcomes[n].Err = one.call.ask, aggregate.ErrConflict
	}
	judged := i.store.judge(asks)
	if len(judged.admitted) == 0 {
		return outcomes, nil
	}
	chosen := make([]issue, len(judged.admitted))
	for n, which := range judged.admitted {
		chosen[n] = asked[which]
	}
	args, decided := tables(chosen)
	text := issueAndCount
	if decided {
		text = issueDecidedAndCount
	}
	stored, err := i.issued(ctx, text, judged.around(args...)...)
	held, err := i.store.confirm(judged, err)
	if !held {
		return outcomes, err
	}
	for n, which := range judged.admitted {
		chosen[n].call.admitted.Store(true)
		if stored[chosen[n].jti] {
			outcomes[which].Err = nil
		}
	}
	return outcomes, nil
}

// insertIssued omits tokens whose app or audience has changed since it was read, whose
// workspace is suspended, or whose personal workspace belongs to a disabled account.
//
//nolint:gochecknoglobals // it is never changed
var insertIssued = `
INSERT INTO m2m_tokens (jti, app_id, scope, audience, audience_epoch, jkt, issued_at, expires_at)
SELECT r.jti, r.app_id, r.scope, r.audience, r.epoch, r.jkt, r.issued_at, r.expires_at
FROM {rows jti text, app_id text, version bigint, scope text, audience text, epoch bigint, audience_version bigint,
	jkt text, issued_at time, expires_at time}
	JOIN apps a ON a.id = r.app_id` + WithOwner + `
WHERE a.version = r.version AND ` + live.NewToken(liveness.TokenIssues) + `
	AND CASE WHEN r.audience_version = 0 THEN TRUE
		ELSE (SELECT n.version FROM audiences n WHERE n.name = r.audience) = r.audience_version END
ON CONFLICT DO NOTHING
RETURNING jti`

//nolint:gochecknoglobals // they are never changed
var (
	// issuing stores tokens and the events of what was stored.
	issuing = `issued AS (` + insertIssued + `), ` + insertEventsOf + `(SELECT i.jti FROM issued i)` + queueStored
	// deciding stores the runs of flows, too.
	deciding = issuing + `, ran AS (` + insertFlowRunsOf + `(SELECT i.jti FROM issued i))
`
	counted              = `WITH counted AS (` + countPresumed + `), `
	uncounted            = `SELECT '' WHERE ` + failIfOutdated + ` UNION ALL SELECT jti FROM issued`
	issueAtOnce          = `WITH ` + issuing + `SELECT jti FROM issued`
	issueDecided         = `WITH ` + deciding + `SELECT jti FROM issued`
	issueAndCount        = counted + issuing + uncounted
	issueDecidedAndCount = counted + deciding + uncounted
)

// tables returns the parameters of issuing, or of deciding if flows decided.
func tables(asked []issue) (args []any, decided bool) {
	tokens, happened, runs := make(Rows, len(asked)), make(Rows, 0, len(asked)), Rows(nil)
	for n, one := range asked {
		tokens[n] = one.state
		happened, runs = append(happened, rowsOf(one.jti, one.events)...), append(runs, rowsOf(one.jti, one.runs)...)
	}
	if len(runs) == 0 {
		return []any{tokens, happened}, false
	}
	return []any{tokens, happened, runs}, true
}

// issued runs a statement that issues tokens, which is its own transaction.
func (i *issues) issued(ctx context.Context, text string, args ...any) (stored map[string]bool, err error) {
	var jtis []string
	if err := (&Queries{pool: i.store.hot}).List(ctx, &jtis, text, args...); err != nil {
		return nil, fmt.Errorf("write issued tokens: %w", err)
	}
	return setOf(jtis), nil
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// write stores the tokens whose app has not changed since it was read, with their events.
func (i *issues) write(ctx context.Context, tx *Tx, asked []issue) (stored map[string]bool, err error) {
	tokens := make(Rows, len(asked))
	for n, one := range asked {
		tokens[n] = one.state
	}
	var jtis []string
	if err := tx.List(ctx, &jtis, insertIssued, tokens); err != nil {
		return nil, fmt.Errorf("write issued tokens: %w", err)
	}
	stored = setOf(jtis)
	var happened, runs Rows
	for _, one := range asked {
		if stored[one.jti] {
			happened, runs = append(happened, one.events...), append(runs, one.runs...)
		}
	}
	if len(happened) > 0 {
		if err := tx.insertEvents(ctx, happened); err != nil {
			return nil, err
		}
	}
	return stored, tx.writeFlowRuns(ctx, runs)
}
