package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Events checks what every repository stores with a change, and outbound.Events.
func Events(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("go with the change", w.eventsStored)
	t.Run("go away with it", w.eventsRolledBack)
	t.Run("are told to the recorder", w.eventsSent)
	t.Run("are recorded by themselves", w.eventsRecorded)
}

// events returns what happened in a request, in the order in which it happened, without
// the identifiers.
func (w *world) events(t *testing.T, request string) []event.Record {
	t.Helper()
	found := w.audit(t, outbound.AuditQuery{RequestID: request})
	slices.Reverse(found)
	for i := range found {
		found[i].ID = ""
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
	base := event.Record{At: w.clock.Now(), Outcome: event.Success, UserID: id, Origin: origin("req-stored")}
	created, super, began := base, base, base
	created.Kind, created.Data = "user.created", []byte(`{"user_id":"`+id+`"}`)
	super.Kind, super.Data = "user.superadmin_changed", []byte(`{"user_id":"`+id+`","is_superadmin":true}`)
	began.Kind, began.OrgID = "session.created", "org_1"
	began.Data = []byte(`{"session_id":"` + live.ID().String() + `","user_id":"` + id + `","org_id":"org_1","amr":["pwd","otp"]}`)
	equal(t, "the events", w.events(t, "req-stored"), []event.Record{created, super, began})
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

func (w *world) eventsSent(t *testing.T) {
	var recorder event.Recorder
	ctx := event.WithRecorder(t.Context(), &recorder)
	made := w.person(t, "witness@example.com")
	save := func(outcome error) error {
		return w.unit.Do(ctx, func(tx Repos) error {
			if len(recorder.Kinds) > 0 {
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
	equal(t, "what was told of it", len(recorder.Kinds), 0)
	is(t, "the unit", save(nil), nil)
	equal(t, "what was told", recorder.Kinds, []event.Kind{user.KindDisabled})

	recorder.Kinds = nil
	err := w.store.Within(ctx, func(inner context.Context) bool {
		ctx = inner
		is(t, "the unit in a transaction", save(nil), nil)
		equal(t, "what was told at once", recorder.Kinds, []event.Kind{user.KindDisabled})
		return false
	})
	is(t, "the transaction", err, nil)
	equal(t, "what was told in the end", recorder.Kinds, []event.Kind{user.KindDisabled})
}

func (w *world) eventsRecorded(t *testing.T) {
	w.do(t, func(ctx context.Context, tx Repos) error {
		ctx = event.WithOrigin(ctx, event.Origin{ActorKind: "anonymous", RequestID: "req-recorded"})
		if err := tx.Events.Record(ctx); err != nil {
			return err
		}
		return tx.Events.Record(ctx, loginevent.Failed{Reason: loginevent.UnknownUser}, session.Revoked{SessionID: "ses_1", Reason: "a \"reason\" \\ 'quoted', {x}"})
	})
	from := event.Origin{ActorKind: "anonymous", RequestID: "req-recorded"}
	equal(t, "the events", w.events(t, "req-recorded"), []event.Record{
		{Kind: "login.failed", At: noon(), Outcome: event.Failure, Origin: from, Data: []byte(`{"reason":"unknown_user"}`)},
		{
			Kind: "session.revoked", At: noon(), Outcome: event.Success, Origin: from,
			Data: []byte(`{"session_id":"ses_1","user_id":"","org_id":"","reason":"a \"reason\" \\ 'quoted', {x}"}`),
		},
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Events.Record(ctx, loginevent.SpikeEnded{StartedAt: noon()})
	})
	equal(t, "who acts by default", w.audit(t, outbound.AuditQuery{Kind: "risk.spike_ended"})[0].Origin.ActorKind, "system")
}
