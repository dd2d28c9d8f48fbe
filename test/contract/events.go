package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// Events checks what every repository stores with a change, and outbound.Events.
func Events(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("go with the change", w.eventsStored)
	t.Run("go away with it", w.eventsRolledBack)
	t.Run("are told to the witness", w.eventsWitnessed)
	t.Run("are recorded by themselves", w.eventsRecorded)
}

// stored is an event as it lies in the table.
type stored struct {
	Kind      string `db:"kind"`
	Outcome   string `db:"outcome"`
	UserID    string `db:"user_id"`
	OrgID     string `db:"org_id"`
	ActorKind string `db:"actor_kind"`
	ActorID   string `db:"actor_id"`
	SessionID string `db:"session_id"`
	UserAgent string `db:"user_agent"`
	RequestID string `db:"request_id"`
	Command   string `db:"command"`
	Data      string `db:"data"`
}

func (w *world) events(t *testing.T, request string) []stored {
	t.Helper()
	var found []stored
	err := w.database.Read.SelectContext(t.Context(), &found, w.database.Dialect.Placeholders(`
		SELECT kind, outcome, user_id, org_id, actor_kind, actor_id, session_id, user_agent, request_id, command, data
		FROM events WHERE request_id = ? ORDER BY id`), request)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func origin(request string) event.Origin {
	return event.Origin{
		ActorKind: "user", ActorID: "usr_actor", Credential: "ses_actor", IP: "203.0.113.9",
		UserAgent: "curl/8.5", RequestID: request, Command: "TEST.RUN",
	}
}

func (w *world) eventsStored(t *testing.T) {
	ctx := event.WithOrigin(t.Context(), origin("req-stored"))
	made := user.New(like(w, user.ID("")), address(t, "event@example.com"), "", noon())
	made.SetSuperadmin(true, noon())
	live := w.begin(made.ID(), "org_1", noon())
	err := w.unit.Do(ctx, func(tx Repos) error {
		if err := tx.Users.Save(ctx, made); err != nil {
			return err
		}
		return tx.Sessions.Save(ctx, live)
	})
	if err != nil {
		t.Fatal(err)
	}
	id := made.ID().String()
	base := stored{
		Outcome: "success", UserID: id, ActorKind: "user", ActorID: "usr_actor", SessionID: "ses_actor",
		UserAgent: "curl/8.5", RequestID: "req-stored", Command: "TEST.RUN",
	}
	created, super, began := base, base, base
	created.Kind, created.Data = "user.created", `{"user_id":"`+id+`"}`
	super.Kind, super.Data = "user.superadmin_changed", `{"user_id":"`+id+`","is_superadmin":true}`
	began.Kind, began.OrgID = "session.created", "org_1"
	began.Data = `{"session_id":"` + live.ID().String() + `","user_id":"` + id + `","org_id":"org_1","amr":["pwd","otp"]}`
	equal(t, "the events", w.events(t, "req-stored"), []stored{created, super, began})

	ip := w.text(t, `SELECT ip FROM events WHERE request_id = 'req-stored' AND kind = 'user.created'`)
	index := w.text(t, `SELECT ip_index FROM events WHERE request_id = 'req-stored' AND kind = 'user.created'`)
	eventID := w.text(t, `SELECT id FROM events WHERE request_id = 'req-stored' AND kind = 'user.created'`)
	opened, err := sealer(t, oneKey).Open(ip, "events/ip/"+eventID)
	if err != nil || opened != "203.0.113.9" || ip == opened {
		t.Errorf("the address is %q, which opens to %q, %v", ip, opened, err)
	}
	equal(t, "the index of the address", index, w.store.Blinder().Index("ip", "203.0.113.9"))
	atNoon := w.database.Dialect.Placeholders(`SELECT COUNT(*) FROM events WHERE request_id = 'req-stored' AND at = ?`)
	equal(t, "the events of the clock's time", w.text(t, atNoon, w.clock.Now()), "3")
}

func (w *world) eventsRolledBack(t *testing.T) {
	ctx := event.WithOrigin(t.Context(), origin("req-dropped"))
	made := user.New(like(w, user.ID("")), address(t, "dropped@example.com"), "", noon())
	err := w.unit.Do(ctx, func(tx Repos) error {
		if err := tx.Users.Save(ctx, made); err != nil {
			return err
		}
		return errEnough
	})
	is(t, "the unit", err, errEnough)
	equal(t, "the events", len(w.events(t, "req-dropped")), 0)
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByID(ctx, made.ID())
		return err
	})
}

func (w *world) eventsWitnessed(t *testing.T) {
	var witness event.Witness
	ctx := event.WithWitness(t.Context(), &witness)
	made := w.person(t, "witness@example.com")
	save := func(outcome error) error {
		return w.unit.Do(ctx, func(tx Repos) error {
			if len(witness.Kinds) > 0 {
				t.Error("told before the transaction ended")
			}
			changed := w.userIn(ctx, tx, made.ID())
			changed.Disable("", time.Time{}, noon())
			if err := tx.Users.Save(ctx, changed); err != nil {
				return err
			}
			return outcome
		})
	}
	is(t, "the failing unit", save(errEnough), errEnough)
	equal(t, "what was told of it", len(witness.Kinds), 0)
	is(t, "the unit", save(nil), nil)
	equal(t, "what was told", witness.Kinds, []event.Kind{user.KindDisabled})

	witness.Kinds = nil
	err := w.store.Within(ctx, func(inner context.Context) bool {
		ctx = inner
		is(t, "the unit in a transaction", save(nil), nil)
		equal(t, "what was told at once", witness.Kinds, []event.Kind{user.KindDisabled})
		return false
	})
	is(t, "the transaction", err, nil)
	equal(t, "what was told in the end", witness.Kinds, []event.Kind{user.KindDisabled})
}

func (w *world) eventsRecorded(t *testing.T) {
	w.do(t, func(ctx context.Context, tx Repos) error {
		ctx = event.WithOrigin(ctx, event.Origin{ActorKind: "anonymous", RequestID: "req-recorded"})
		if err := tx.Events.Record(ctx); err != nil {
			return err
		}
		return tx.Events.Record(ctx, login.Failed{Reason: login.UnknownUser}, session.Revoked{SessionID: "ses_1", Reason: "a \"reason\" \\ 'quoted', {x}"})
	})
	equal(t, "the events", w.events(t, "req-recorded"), []stored{
		{Kind: "login.failed", Outcome: "failure", ActorKind: "anonymous", RequestID: "req-recorded", Data: `{"reason":"unknown_user"}`},
		{
			Kind: "session.revoked", Outcome: "success", ActorKind: "anonymous", RequestID: "req-recorded",
			Data: `{"session_id":"ses_1","user_id":"","org_id":"","reason":"a \"reason\" \\ 'quoted', {x}"}`,
		},
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Events.Record(ctx, login.SpikeEnded{StartedAt: noon()})
	})
	equal(t, "who acts by default", w.text(t, `SELECT actor_kind FROM events WHERE kind = 'risk.spike_ended'`), "system")
}
