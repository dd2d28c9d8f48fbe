package user_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

func wantEvents(t *testing.T, u *user.User, want ...event.Data) {
	t.Helper()
	if got := u.Stored(); !slices.EqualFunc(got, want, func(a, b event.Data) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("events = %+v, want %+v", got, want)
	}
}

// proofs are how far addresses are proved, in order.
func proofs() []user.EmailProof {
	return []user.EmailProof{user.Unproved, user.Verified, user.Bound}
}

// Every proof follows every other: a weaker one changes nothing, a stronger one is told.
func TestAnAddressIsProvedOnce(t *testing.T) {
	t.Parallel()
	for _, before := range proofs() {
		for _, proof := range proofs()[1:] {
			u := ada(t)
			if before != user.Unproved {
				u.VerifyEmail(before, now())
			}
			u.Require([]user.Action{user.VerifyEmail, user.EnrollMFA}, now())
			u.Stored()
			u.VerifyEmail(proof, now().Add(time.Minute))
			if proof > before {
				wantEvents(t, u, user.EmailVerified{UserID: u.ID(), Bound: proof == user.Bound})
			} else {
				wantEvents(t, u)
			}
			s := u.Snapshot()
			if s.EmailProof() != max(before, proof) || !s.EmailVerified || !slices.Equal(s.RequiredActions, []user.Action{user.EnrollMFA}) {
				t.Errorf("%d after %d: %+v", proof, before, s)
			}
		}
	}
}

// Who claims an account binds its address; one that is bound is claimed no more.
func TestClaim(t *testing.T) {
	t.Parallel()
	for _, before := range proofs() {
		u := ada(t)
		if before != user.Unproved {
			u.VerifyEmail(before, now())
		}
		u.Stored()
		u.Claim(now())
		if before == user.Bound {
			wantEvents(t, u)
		} else {
			wantEvents(t, u, user.EmailVerified{UserID: u.ID(), Bound: true, Claimed: true})
		}
		if u.Snapshot().EmailProof() != user.Bound {
			t.Errorf("claimed after %d: %+v", before, u.Snapshot())
		}
	}
}

// An account that is made for a known owner is bound; what another system says of an
// account that stands says nothing about who made it.
func TestCreatedAccountsAreBoundToKnownOwners(t *testing.T) {
	t.Parallel()
	u, imported := ada(t), ada(t)
	u.BindNew()
	if u.Snapshot().EmailProof() != user.Bound {
		t.Errorf("account = %+v", u.Snapshot())
	}
	imported.MarkEmailVerified(now())
	if imported.Snapshot().EmailProof() != user.Verified {
		t.Errorf("account = %+v", imported.Snapshot())
	}
}

func TestChangeEmail(t *testing.T) {
	t.Parallel()
	u := ada(t)
	same, err := email.Parse("ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	other, err := email.Parse("lovelace@example.com")
	if err != nil {
		t.Fatal(err)
	}
	u.ChangeEmail(same, user.Unproved, now())
	if u.Changed() {
		t.Error("the same address is a change")
	}
	u.Require([]user.Action{user.VerifyEmail}, now())
	u.Stored()
	u.ChangeEmail(other, user.Bound, now())
	wantEvents(t, u, user.EmailChanged{UserID: u.ID(), Verified: true, Bound: true})
	if s := u.Snapshot(); s.Email != other || s.EmailProof() != user.Bound || len(s.RequiredActions) != 0 {
		t.Errorf("account = %+v", s)
	}
	u.ChangeEmail(same, user.Verified, now())
	wantEvents(t, u, user.EmailChanged{UserID: u.ID(), Verified: true})
	u.ChangeEmail(same, user.Unproved, now())
	wantEvents(t, u, user.EmailChanged{UserID: u.ID()})
	u.RequestEmailChange()
	wantEvents(t, u, user.EmailChangeRequested{UserID: u.ID()})
}

func TestRequire(t *testing.T) {
	t.Parallel()
	u, asked := ada(t), []user.Action{user.ChangePassword}
	u.Require(asked, now())
	asked[0] = user.EnrollMFA
	wantEvents(t, u, user.RequiredActionsSet{UserID: u.ID(), Actions: []user.Action{user.ChangePassword}})
	u.Require([]user.Action{user.ChangePassword}, now())
	wantEvents(t, u)
	u.Require(nil, now())
	wantEvents(t, u, user.RequiredActionsSet{UserID: u.ID(), Actions: []user.Action{}})
}
