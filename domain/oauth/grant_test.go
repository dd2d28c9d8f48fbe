package oauth_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/oauth"
)

// A refresh token that stays is good until its grant ends, and no other one is.
func TestReuse(t *testing.T) {
	t.Parallel()
	begin := func() *oauth.Grant {
		g := oauth.Issue("", oauth.Authorization{}, oauth.Code{Digest: "code"}, noon())
		if err := g.Redeem(oauth.Lifetimes{Idle: time.Hour, Absolute: 3 * time.Hour}, "first", "", noon()); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := begin()
	for _, after := range []time.Duration{0, 59 * time.Minute, 118 * time.Minute, 177 * time.Minute} {
		if err := g.Reuse("first", noon().Add(after)); err != nil {
			t.Errorf("Reuse after %v = %v, want nil", after, err)
		}
	}
	if err := g.Reuse("first", noon().Add(3*time.Hour)); !errors.Is(err, oauth.ErrRefresh) {
		t.Errorf("Reuse at the end = %v, want ErrRefresh", err)
	}
	if err := begin().Reuse("first", noon().Add(time.Hour)); !errors.Is(err, oauth.ErrRefresh) {
		t.Errorf("Reuse when idle = %v, want ErrRefresh", err)
	}
	if err := begin().Reuse("second", noon()); !errors.Is(err, oauth.ErrRefresh) {
		t.Errorf("Reuse of another one = %v, want ErrRefresh", err)
	}
	g = begin()
	g.End(oauth.ByConsent, noon())
	if err := g.Reuse("first", noon()); !errors.Is(err, oauth.ErrRefresh) {
		t.Errorf("Reuse after the end = %v, want ErrRefresh", err)
	}
}
