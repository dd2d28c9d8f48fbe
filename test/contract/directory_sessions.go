package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// SessionDirectory checks outbound.SessionDirectory.
func SessionDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	ada, bob := w.person(t, "ada@example.com").ID(), w.person(t, "bob@example.com").ID()
	org := like(w, workspace.ID(""))
	var begun []*session.Session
	for i, start := range []session.Start{
		{UserID: ada, OrgID: org, AMR: []string{"pwd", "otp"}, IP: "203.0.113.7"},
		{UserID: ada, OrgID: like(w, workspace.ID("")), AMR: []string{"pwd"}, IP: "203.0.113.8"},
		{UserID: bob, OrgID: org, AMR: []string{"hwk"}, IP: "203.0.113.7"},
		{UserID: bob, OrgID: org, IP: "2001:db8::1"},
	} {
		start.ID, start.Policy = like(w, session.ID("")), policy.Defaults().Session
		begun = append(begun, w.session(t, session.Begin(start, noon().Add(time.Duration(i)*time.Minute))))
	}
	begun[3].End(session.ByLogout, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, begun[3]) })
	idle, absolute := policy.Defaults().Session.Idle(), policy.Defaults().Session.Absolute()
	type query = outbound.SessionQuery
	for _, c := range []struct {
		what  string
		query query
		want  []int
	}{
		{"all that are active", query{}, []int{2, 1, 0}},
		{"one page", query{Limit: 2}, []int{2, 1}},
		{"the next page", query{Limit: 2, Before: begun[1].ID()}, []int{0}},
		{"one's own", query{User: ada}, []int{1, 0}},
		{"one's others", query{User: ada, Except: begun[1].ID()}, []int{0}},
		{"a workspace's", query{Org: org}, []int{2, 0}},
		{"an address's", query{IP: "203.0.113.7"}, []int{2, 0}},
		{"one's own of an address", query{IP: "203.0.113.7", User: bob}, []int{2}},
		{"those with a password", query{AMR: "pwd"}, []int{1, 0}},
		{"those with a part of a method", query{AMR: "pw"}, []int{}},
		{"those used lately", query{ActiveSince: noon().Add(time.Minute)}, []int{2, 1}},
		{"those that began before", query{IssuedBefore: noon().Add(time.Minute)}, []int{0}},
		{"at the idle end of the first", query{Now: noon().Add(idle)}, []int{2, 1}},
		{"just before it", query{Now: noon().Add(idle - time.Microsecond)}, []int{2, 1, 0}},
		{"long after", query{Now: noon().Add(absolute)}, []int{}},
	} {
		if c.query.Now.IsZero() {
			c.query.Now = noon()
		}
		found, err := w.store.SessionDirectory().List(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		places := []int{}
		for _, one := range found {
			for i, known := range begun {
				if known.ID() == one.ID {
					equal(t, "a listed session", one, known.Snapshot())
					places = append(places, i)
				}
			}
		}
		equal(t, c.what, places, c.want)
	}
}
