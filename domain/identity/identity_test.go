package identity_test

import (
	"reflect"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/secret"
)

func now() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func linked() *identity.Identity {
	return identity.Link(identity.Draft{
		ID: "idn_1", UserID: "usr_1", Upstream: identity.Upstream{Provider: "github", ID: "7"},
		Tokens: identity.Tokens{Access: secret.New("a1"), Refresh: secret.New("r1"), Scopes: []string{"user"}},
	}, now())
}

func TestLinkAndUnlink(t *testing.T) {
	t.Parallel()
	i := linked()
	i.Unlink()
	want := []any{
		identity.Linked{IdentityID: "idn_1", UserID: "usr_1", Provider: "github"},
		identity.Unlinked{IdentityID: "idn_1", UserID: "usr_1", Provider: "github"},
	}
	for at, got := range i.Stored() {
		if !reflect.DeepEqual(got, want[at]) {
			t.Errorf("event %d = %+v, want %+v", at, got, want[at])
		}
	}
}

// A provider that answers no new refresh token means the old one to stay.
func TestTokensAreReplaced(t *testing.T) {
	t.Parallel()
	i := linked()
	later := now().Add(time.Hour)
	i.Used(email.Restore("ada@example.com"), identity.Tokens{Access: secret.New("a2"), ExpiresAt: later}, later)
	s := i.Snapshot()
	if s.Tokens.Access.Reveal() != "a2" || s.Tokens.Refresh.Reveal() != "r1" || len(s.Tokens.Scopes) != 1 || !s.LastLoginAt.Equal(later) || s.Email.String() != "ada@example.com" {
		t.Errorf("snapshot = %+v", s)
	}
	i.Renew(identity.Tokens{Access: secret.New("a3"), Refresh: secret.New("r3"), Scopes: []string{"email"}})
	if s = i.Snapshot(); s.Tokens.Refresh.Reveal() != "r3" || s.Tokens.Scopes[0] != "email" || !s.Tokens.ExpiresAt.IsZero() {
		t.Errorf("tokens = %+v", s.Tokens)
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	for life, want := range map[time.Duration]bool{0: true, -time.Hour: true, time.Minute: true, time.Minute + time.Microsecond: false, time.Hour: false} {
		if got := (identity.Tokens{ExpiresAt: now().Add(life)}).Due(now()); got != want {
			t.Errorf("with %v left: %v", life, got)
		}
	}
	if (identity.Tokens{}).Due(now()) {
		t.Error("a token without an end is due")
	}
}
