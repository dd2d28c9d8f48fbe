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

func told(t *testing.T, u *user.User, want ...event.Data) {
	t.Helper()
	if got := u.Stored(); !slices.EqualFunc(got, want, func(a, b event.Data) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("events = %+v, want %+v", got, want)
	}
}

func TestAnAddressIsVerifiedOnce(t *testing.T) {
	t.Parallel()
	u := ada(t)
	u.Require([]user.Action{user.VerifyEmail, user.EnrollMFA}, now())
	told(t, u, user.RequiredActionsSet{UserID: u.ID(), Actions: []user.Action{user.VerifyEmail, user.EnrollMFA}})
	u.VerifyEmail(now().Add(time.Minute))
	told(t, u, user.EmailVerified{UserID: u.ID()})
	if s := u.Snapshot(); !s.EmailVerified || !slices.Equal(s.RequiredActions, []user.Action{user.EnrollMFA}) {
		t.Errorf("account = %+v", s)
	}
	u.VerifyEmail(now())
	u.Claim(now())
	told(t, u)
	other := ada(t)
	other.Claim(now())
	told(t, other, user.EmailVerified{UserID: u.ID(), Claimed: true})
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
	u.ChangeEmail(same, false, now())
	if u.Changed() {
		t.Error("the same address is a change")
	}
	u.Require([]user.Action{user.VerifyEmail}, now())
	u.Stored()
	u.ChangeEmail(other, true, now())
	told(t, u, user.EmailChanged{UserID: u.ID(), Verified: true})
	if s := u.Snapshot(); s.Email != other || !s.EmailVerified || len(s.RequiredActions) != 0 {
		t.Errorf("account = %+v", s)
	}
	u.ChangeEmail(other, false, now())
	told(t, u, user.EmailChanged{UserID: u.ID()})
	u.RequestEmailChange()
	told(t, u, user.EmailChangeRequested{UserID: u.ID()})
}

func TestRequire(t *testing.T) {
	t.Parallel()
	u, asked := ada(t), []user.Action{user.ChangePassword}
	u.Require(asked, now())
	asked[0] = user.EnrollMFA
	told(t, u, user.RequiredActionsSet{UserID: u.ID(), Actions: []user.Action{user.ChangePassword}})
	u.Require([]user.Action{user.ChangePassword}, now())
	told(t, u)
	u.Require(nil, now())
	told(t, u, user.RequiredActionsSet{UserID: u.ID(), Actions: []user.Action{}})
}
