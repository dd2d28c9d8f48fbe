package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// AppOwners checks what becomes of apps while the owner of their personal workspace is
// disabled: in what admissions answer, in what is issued, and in lists.
func AppOwners(t *testing.T, open Opener) {
	w := newWorld(t, open)
	owner := w.person(t, "app-owner@example.com").ID()
	personal, shared := w.team(t, true, "owner", owner), w.team(t, false, "owner", owner)
	own, others := w.machine(t, w.worker(personal, "of-one")), w.machine(t, w.worker(shared, "of-many"))
	before := map[string]m2m.Issued{"of-one": w.issue(t, own, "users:read", ""), "of-many": w.issue(t, others, "users:read", "")}
	now := noon().Add(time.Minute)
	later := now.Add(time.Minute)
	active := true
	for name, c := range map[string]struct {
		stored user.Availability
		usable bool
	}{
		"active":           {user.Availability{Status: user.Active}, true},
		"disabled":         {user.Availability{Status: user.Disabled}, false},
		"disabled until":   {user.Availability{Status: user.Disabled, DisabledUntil: later}, false},
		"disabled till":    {user.Availability{Status: user.Disabled, DisabledUntil: now}, true},
		"enabled and then": {user.Availability{Status: user.Active, DisabledUntil: later}, true},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			held, err := tx.Users.ByID(ctx, owner)
			if err != nil {
				return err
			}
			s := held.Snapshot()
			s.Status, s.DisabledUntil = c.stored.Status, c.stored.DisabledUntil
			return tx.Users.Save(ctx, user.Restore(s, held.Version()))
		})
		found := w.token(t, before["of-one"].JTI)
		equal(t, name+": the owner of a token", found.Owner, c.stored)
		equal(t, name+": whether it is live", found.Live(now), c.usable)
		client := w.admitted(t, outbound.AdmissionAsk{Client: "of-one"}).Client
		equal(t, name+": the owner of a client", client.Owner, c.stored)
		equal(t, name+": whether it gets another", w.issued(t, client, now), c.usable)
		listed := w.activeTokens(t, machines.TokenQuery{Org: personal, Active: &active, Limit: 50, Now: now})
		equal(t, name+": whether its tokens are listed as active", listed > 0, c.usable)
		dead := false
		all := w.activeTokens(t, machines.TokenQuery{Org: personal, Limit: 50, Now: now})
		equal(t, name+": that some are listed at all", w.activeTokens(t, machines.TokenQuery{Org: personal, Active: &dead, Limit: 50, Now: now}), 0)
		equal(t, name+": whether they are active", all > 0, c.usable)

		many := w.admitted(t, outbound.AdmissionAsk{Client: "of-many"}).Client
		equal(t, name+": of a shared workspace", w.token(t, before["of-many"].JTI).Owner, user.Availability{})
		equal(t, name+": a client of a shared workspace", many.Owner, user.Availability{})
		equal(t, name+": whether that gets another", w.issued(t, many, now), true)
	}
}

// issued reports whether a token of a client could be stored at a moment.
func (w *world) issued(t *testing.T, of *outbound.Client, now time.Time) bool {
	t.Helper()
	err := w.store.TokenIssues.Issue(t.Context(), m2m.Issued{
		JTI: w.ids.UUID(), App: of.App.ID, AppVersion: of.Version, Audience: "https://auth.example.com",
		IssuedAt: now, ExpiresAt: now.Add(time.Hour),
	})
	if err != nil && !errors.Is(err, aggregate.ErrConflict) {
		t.Fatal(err)
	}
	return err == nil
}

// activeTokens counts the tokens in a list that say of themselves that they are good.
func (w *world) activeTokens(t *testing.T, query machines.TokenQuery) int {
	t.Helper()
	listed, err := w.store.TokenDirectory.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	active := 0
	for _, one := range listed {
		if one.Active(query.Now) {
			active++
		}
	}
	return active
}
