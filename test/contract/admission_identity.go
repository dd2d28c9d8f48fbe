package contract

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Admission checks outbound.Admission and ops.LimitCounters.
func Admission(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("tells who stands behind a session", w.admissionIdentity)
	t.Run("tells whether the account of a session has a second factor", w.admissionFactors)
	t.Run("tells who stands behind an API key", w.admissionKey)
	t.Run("tells when an API key ends", w.admissionKeyEnds)
	t.Run("tells what stands behind an M2M token", w.admissionToken)
	t.Run("tells the revision", w.admissionRevision)
	t.Run("sees every change at once", w.admissionFresh)
	t.Run("sees every change of a key at once", w.admissionKeyFresh)
	t.Run("gives everybody their own answer", w.admissionMany)
	t.Run("gives every kind of caller their own answer", w.admissionMixed)
	AdmissionCounts(t, open)
	t.Run("fails in time", func(t *testing.T) { admissionTimeout(t, open) })
}

// who asks for a session.
func (w *world) who(t *testing.T, id session.ID) *outbound.Identity {
	t.Helper()
	answer, err := w.store.Admission.Admit(t.Context(), outbound.AdmissionAsk{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Identity
}

func (w *world) admissionIdentity(t *testing.T) {
	full := user.Snapshot{
		ID: like(w, user.ID("")), Email: address(t, "Identity@Example.com"), EmailVerified: true, EmailBound: true,
		DisplayName: "Ada „Łovelace“", Avatar: "https://example.com/a.png", Locale: "en-GB", Timezone: "Europe/London",
		ExternalID: "crm|43", Metadata: map[string]any{"plan": "pro"}, Superadmin: true, Status: user.Disabled,
		DisabledUntil: noon().Add(time.Hour), DisabledWhy: "why", CreatedAt: noon(), UpdatedAt: noon().Add(time.Microsecond),
		LastLoginAt: noon().Add(-time.Microsecond),
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, user.Restore(full, 0)) })
	org := w.team(t, false, "editor", full.ID)
	for _, role := range []string{"admin", "owner"} { // theirs are not the person's
		colleague := w.person(t, role+"@identity.example.com").ID()
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Workspaces.SaveMember(ctx, workspace.Join(org, colleague, role, noon()))
		})
	}
	held := w.session(t, w.begin(full.ID, org, noon()))
	if err := held.Rotate("digest-1", "digest-2", 0, noon().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	held.End(session.ByUser, noon().Add(time.Minute))
	held = w.session(t, held)
	equal(t, "the identity", w.who(t, held.ID()), &outbound.Identity{
		Session: held.Snapshot(), Version: held.Version(), User: full, Held: role.MemberGrants{Org: org, Grants: []workspace.Grant{{Role: "editor"}}},
	})
	elsewhere := w.session(t, w.begin(full.ID, like(w, workspace.ID("")), noon()))
	equal(t, "without a membership", w.who(t, elsewhere.ID()), &outbound.Identity{
		Session: elsewhere.Snapshot(), Version: elsewhere.Version(), User: full, Held: role.MemberGrants{Org: elsewhere.Snapshot().OrgID},
	})
	equal(t, "no such session", w.who(t, like(w, session.ID(""))) == nil, true)
}

func (w *world) admissionFactors(t *testing.T) {
	guarded := func(id session.ID) bool {
		t.Helper()
		answer, err := w.store.Admission.Admit(t.Context(), outbound.AdmissionAsk{Session: id, Factors: true})
		if err != nil {
			t.Fatal(err)
		}
		plain := w.who(t, id)
		equal(t, "without being asked", plain.SecondFactor, false)
		plain.SecondFactor = answer.Identity.SecondFactor
		equal(t, "the rest of the identity", answer.Identity, plain)
		return answer.Identity.SecondFactor
	}
	of := func(email string) (user.ID, session.ID) {
		person := w.person(t, email).ID()
		return person, w.session(t, w.begin(person, like(w, workspace.ID("")), noon())).ID()
	}
	owner, held := of("factors@admission.example.com")
	equal(t, "an account without any", guarded(held), false)
	pending := mfa.None(owner)
	if err := pending.BeginApp(like(w, mfa.ID("")), "Phone", "JBSWY3DPEHPK3PXP", noon()); err != nil {
		t.Fatal(err)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Factors.Save(ctx, pending) })
	equal(t, "an enrollment that waits", guarded(held), false)
	owner, held = of("app@admission.example.com")
	w.enrolled(t, owner)
	equal(t, "an authenticator app", guarded(held), true)
	owner, held = of("passkey@admission.example.com")
	w.passkeyRow(t, owner, false)
	equal(t, "a passkey", guarded(held), true)
}

func (w *world) admissionRevision(t *testing.T) {
	revision := func() int64 {
		answer, err := w.store.Admission.Admit(t.Context(), outbound.AdmissionAsk{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "an answer to nothing", answer, outbound.AdmissionAnswer{Revision: answer.Revision})
		return answer.Revision
	}
	before := revision()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LimitRules.Set(ctx, ops.TunedLimit{Command: "A.B", By: limit.IP, Rule: limit.Rule{Limit: 1, Window: time.Second}})
	})
	equal(t, "the revision after a change", revision(), before+1)
}

func (w *world) admissionFresh(t *testing.T) {
	person := w.person(t, "fresh@example.com")
	held := w.session(t, w.begin(person.ID(), "", noon()))
	equal(t, "an active session", w.who(t, held.ID()).Session.EndedAt, time.Time{})
	held.End(session.ByUser, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, held) })
	equal(t, "an ended session", w.who(t, held.ID()).Session.EndedAt, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	equal(t, "a deleted account", w.who(t, held.ID()) == nil, true)
}

func (w *world) admissionMany(t *testing.T) {
	const many = 40
	var all sync.WaitGroup
	for i := range many {
		held := w.session(t, w.begin(w.person(t, fmt.Sprintf("many%d@example.com", i)).ID(), "", noon()))
		// The answer must be that of the own session, and of the own counter, which
		// has counted i mod 3 calls.
		check := perMinute(fmt.Sprintf("many %d", i), 10)
		for range i % 3 {
			admit(t, w.store, check)
		}
		all.Go(func() {
			for n := range 3 {
				answer, err := w.store.Admission.Admit(t.Context(), outbound.AdmissionAsk{
					Session: held.ID(), Checks: []outbound.LimitCheck{perMinute("shared", 1000), check},
				})
				if err != nil || answer.Identity == nil || answer.Identity.Session.ID != held.ID() ||
					answer.Verdicts[1].Used != i%3+n+1 {
					t.Errorf("caller %d got %+v, %v", i, answer, err)
				}
			}
		})
	}
	all.Wait()
	equal(t, "the calls that all made", used(t, w.store, perMinute("shared", 1000)), 3*many)
}
