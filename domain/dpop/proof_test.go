package dpop_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/dpop"
)

// TestCheck holds the claims of RFC 9449 section 4.3 against a request, one change
// at a time.
func TestCheck(t *testing.T) {
	t.Parallel()
	request := dpop.Request{Method: "POST", URL: "https://auth.example.com/api/v1/execute"}
	bound := request
	// The token and hash of RFC 9449 section 7.1, figures 12 and 13.
	bound.AccessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
	const hash = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
	for name, test := range map[string]struct {
		request dpop.Request
		change  func(c *dpop.Claims)
		want    error
	}{
		"right":                        {request, func(*dpop.Claims) {}, nil},
		"no jti":                       {request, func(c *dpop.Claims) { c.ID = "" }, dpop.ErrID},
		"256 characters of jti":        {request, func(c *dpop.Claims) { c.ID = strings.Repeat("é", 256) }, nil},
		"257 characters of jti":        {request, func(c *dpop.Claims) { c.ID = strings.Repeat("x", 257) }, dpop.ErrID},
		"another method":               {request, func(c *dpop.Claims) { c.Method = "GET" }, dpop.ErrMethod},
		"a method in small letters":    {request, func(c *dpop.Claims) { c.Method = "post" }, dpop.ErrMethod},
		"no method":                    {request, func(c *dpop.Claims) { c.Method = "" }, dpop.ErrMethod},
		"another path":                 {request, func(c *dpop.Claims) { c.URL += "/" }, dpop.ErrURL},
		"a query":                      {request, func(c *dpop.Claims) { c.URL += "?a=b#c" }, nil},
		"another host":                 {request, func(c *dpop.Claims) { c.URL = "https://auth.example.org/api/v1/execute" }, dpop.ErrURL},
		"another scheme":               {request, func(c *dpop.Claims) { c.URL = "http://auth.example.com/api/v1/execute" }, dpop.ErrURL},
		"another port":                 {request, func(c *dpop.Claims) { c.URL = "https://auth.example.com:8443/api/v1/execute" }, dpop.ErrURL},
		"the host in other letters":    {request, func(c *dpop.Claims) { c.URL = "HTTPS://Auth.Example.COM:443/api/./x/../v1/execut%65" }, nil},
		"the path in other letters":    {request, func(c *dpop.Claims) { c.URL = "https://auth.example.com/API/v1/execute" }, dpop.ErrURL},
		"a path alone":                 {request, func(c *dpop.Claims) { c.URL = "/api/v1/execute" }, dpop.ErrURL},
		"no URL":                       {request, func(c *dpop.Claims) { c.URL = "" }, dpop.ErrURL},
		"no URL on either side":        {dpop.Request{Method: "POST"}, func(c *dpop.Claims) { c.URL = "" }, dpop.ErrURL},
		"60 s old":                     {request, func(c *dpop.Claims) { c.IssuedAt = start().Add(-60 * time.Second) }, nil},
		"older":                        {request, func(c *dpop.Claims) { c.IssuedAt = start().Add(-60*time.Second - time.Microsecond) }, dpop.ErrTime},
		"60 s ahead":                   {request, func(c *dpop.Claims) { c.IssuedAt = start().Add(60 * time.Second) }, nil},
		"more ahead":                   {request, func(c *dpop.Claims) { c.IssuedAt = start().Add(60*time.Second + time.Microsecond) }, dpop.ErrTime},
		"no time":                      {request, func(c *dpop.Claims) { c.IssuedAt = time.Time{} }, dpop.ErrTime},
		"a hash without a token":       {request, func(c *dpop.Claims) { c.Hash = "x" }, nil},
		"the hash of the token":        {bound, func(c *dpop.Claims) { c.Hash = hash }, nil},
		"no hash of the token":         {bound, func(*dpop.Claims) {}, dpop.ErrHash},
		"the hash of another token":    {bound, func(c *dpop.Claims) { c.Hash = dpop.HashOf("other") }, dpop.ErrHash},
		"the hash in other letters":    {bound, func(c *dpop.Claims) { c.Hash = strings.ToLower(hash) }, dpop.ErrHash},
		"the hash with padding":        {bound, func(c *dpop.Claims) { c.Hash = hash + "=" }, dpop.ErrHash},
		"the token in place of a hash": {bound, func(c *dpop.Claims) { c.Hash = bound.AccessToken }, dpop.ErrHash},
	} {
		claims := dpop.Claims{ID: "1", Method: request.Method, URL: request.URL, IssuedAt: start()}
		test.change(&claims)
		if err := claims.Check(test.request, start()); !errors.Is(err, test.want) {
			t.Errorf("%s: Check() = %v, want %v", name, err, test.want)
		}
	}
}

func TestUseKeyTellsKeyAndID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, one := range [][2]string{{"a", "1"}, {"a", "2"}, {"b", "1"}, {"a1", ""}, {"", "a1"}, {"a\x001", ""}} {
		claims := dpop.Claims{ID: one[1], Method: "POST", URL: "https://a.example/"}
		key := claims.UseKey(one[0])
		if len(key) != 43 || seen[key] && one[0] != "a\x001" {
			t.Errorf("UseKey() of %q = %q, as of another one", one, key)
		}
		seen[key] = true
		claims.Method, claims.URL = "GET", "https://b.example/"
		if claims.UseKey(one[0]) != key {
			t.Errorf("the same jti of %q is another for another request", one)
		}
	}
}

func TestKeptLongerThanAccepted(t *testing.T) {
	t.Parallel()
	claims := dpop.Claims{ID: "1", Method: "POST", URL: "https://a.example/", IssuedAt: start()}
	last := claims.KeptUntil()
	if want := start().Add(120 * time.Second); !last.Equal(want) {
		t.Errorf("kept until %v, want %v", last, want)
	}
	if err := claims.Check(dpop.Request{Method: "POST", URL: "https://a.example/"}, last); !errors.Is(err, dpop.ErrTime) {
		t.Errorf("what is forgotten is still accepted: %v", err)
	}
}

// TestRefusalsBeginWithTheOAuthCode: the front makes an OAuth error of what stands before
// the colon.
func TestRefusalsBeginWithTheOAuthCode(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		dpop.ErrMalformed, dpop.ErrHeader, dpop.ErrType, dpop.ErrAlgorithm, dpop.ErrSignature, dpop.ErrClaims, dpop.ErrID,
		dpop.ErrMethod, dpop.ErrURL, dpop.ErrTime, dpop.ErrHash, dpop.ErrReplayed, dpop.ErrOtherKey, dpop.KeyPoint.Proof(),
	} {
		if !strings.HasPrefix(err.Error(), "AUTH_ERROR: invalid_dpop_proof: ") {
			t.Errorf("%v", err)
		}
	}
	if !strings.HasPrefix(dpop.ErrAbsent.Error(), "AUTH_ERROR: invalid_request: ") {
		t.Errorf("%v", dpop.ErrAbsent)
	}
	if !strings.HasPrefix(dpop.ErrNotHolder.Error(), "AUTH_ERROR: invalid_token: ") {
		t.Errorf("%v", dpop.ErrNotHolder)
	}
}
