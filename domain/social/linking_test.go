package social_test

import (
	"errors"
	"testing"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
)

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// The rules of contract section 6, over everything that they look at.
func TestDecide(t *testing.T) {
	t.Parallel()
	const ada = "ada@example.com"
	profile := func(text string, verified bool) social.Profile {
		p := social.Profile{ID: "1", Verified: verified}
		if text != "" {
			p.Email = address(t, text)
		}
		return p
	}
	account := func(text string, verified bool) *user.Snapshot {
		return &user.Snapshot{Email: address(t, text), EmailVerified: verified, EmailBound: verified}
	}
	mighty := account(ada, true)
	mighty.Superadmin = true
	for _, c := range []struct {
		what string
		in   social.Situation
		way  social.Way
		err  error
	}{
		{"linked, whatever the address", social.Situation{Linked: true, Profile: profile("", false)}, social.Enter, nil},
		{"linked, with an address of another account", social.Situation{Linked: true, Profile: profile(ada, true), Found: account(ada, true)}, social.Enter, nil},
		{"verified on both sides", social.Situation{Profile: profile(ada, true), Found: account(ada, true)}, social.Join, nil},
		{"in another case", social.Situation{Profile: profile("ADA@Example.com", true), Found: account(ada, true)}, social.Join, nil},
		{"not verified here", social.Situation{Profile: profile(ada, true), Found: account(ada, false)}, 0, social.ErrLinkFirst},
		{"verified here, but not bound", social.Situation{Profile: profile(ada, true), Found: &user.Snapshot{Email: address(t, ada), EmailVerified: true}}, 0, social.ErrLinkFirst},
		{"not verified there", social.Situation{Profile: profile(ada, false), Found: account(ada, true)}, 0, social.ErrUnvouched},
		{"not verified anywhere", social.Situation{Profile: profile(ada, false), Found: account(ada, false)}, 0, social.ErrUnvouched},
		{"another account of the provider is linked", social.Situation{Profile: profile(ada, true), Found: account(ada, true), Held: true}, 0, social.ErrLinkFirst},
		{"a superadmin's address", social.Situation{Profile: profile(ada, true), Found: mighty}, 0, social.ErrLinkFirst},
		{"a superadmin who linked it", social.Situation{Linked: true, Profile: profile(ada, true), Found: mighty}, social.Enter, nil},
		{"a look-alike", social.Situation{Profile: profile("\u0430da@example.com", true), Found: account(ada, true)}, 0, social.ErrLinkFirst},
		{"nobody here, verified", social.Situation{Profile: profile(ada, true)}, social.Create, nil},
		{"nobody here, not verified", social.Situation{Profile: profile(ada, false)}, 0, social.ErrUnvouched},
		{"nobody here, no address", social.Situation{Profile: profile("", true)}, 0, social.ErrUnvouched},
	} {
		way, err := social.Decide(c.in)
		if way != c.way || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: %v, %v, want %v, %v", c.what, way, err, c.way, c.err)
		}
	}
}

func TestProves(t *testing.T) {
	t.Parallel()
	vouched := social.Profile{Email: address(t, "Ada@example.com"), Verified: true}
	unverified := user.Snapshot{Email: address(t, "ada@example.com")}
	verified, other := unverified, unverified
	verified.EmailVerified, other.Email = true, address(t, "bob@example.com")
	bound := verified
	bound.EmailBound = true
	for what, c := range map[string]struct {
		profile social.Profile
		account user.Snapshot
		want    bool
	}{
		"its own address":         {vouched, unverified, true},
		"one that is verified":    {vouched, verified, true},
		"one that is bound":       {vouched, bound, false},
		"another address":         {vouched, other, false},
		"one nobody vouches for":  {social.Profile{Email: vouched.Email}, unverified, false},
		"no address":              {social.Profile{Verified: true}, unverified, false},
		"no address on any side ": {social.Profile{Verified: true}, user.Snapshot{}, false},
	} {
		if got := c.profile.Proves(c.account); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
