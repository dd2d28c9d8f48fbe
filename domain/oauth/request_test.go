package oauth_test

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
)

// The verifier and challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func asked(change func(*oauth.Request)) *oauth.Request {
	r := &oauth.Request{ClientID: "c", ResponseType: "code", RedirectURI: "https://c.example/cb", Scope: "openid", Challenge: challenge, Method: "S256"}
	if change != nil {
		change(r)
	}
	return r
}

func client(kind app.Type) app.Snapshot {
	return app.Snapshot{Type: kind, GrantTypes: []app.GrantType{app.AuthorizationCode}, Addresses: app.Addresses{RedirectURLs: []string{"https://c.example/cb"}}}
}

// Every fault of a request has the code of its RFC, and what is within the bounds passes.
func TestCheck(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("a", n) }
	minus, zero := -1, 0
	for name, c := range map[string]struct {
		change func(*oauth.Request)
		want   string
	}{
		"whole":                          {nil, ""},
		"with a parameter twice":         {func(r *oauth.Request) { r.Malformed = oauth.Repeated }, oauth.InvalidRequest},
		"with resources":                 {func(r *oauth.Request) { r.Malformed = oauth.RepeatedResource }, oauth.InvalidTarget},
		"with a max_age that is none":    {func(r *oauth.Request) { r.Malformed = oauth.NoNumber }, oauth.InvalidRequest},
		"with what is no text":           {func(r *oauth.Request) { r.Malformed = oauth.NoText }, oauth.InvalidRequest},
		"a state as long as may be":      {func(r *oauth.Request) { r.State = long(2048) }, ""},
		"a state that is too long":       {func(r *oauth.Request) { r.State = long(2049) }, oauth.InvalidRequest},
		"a nonce that is too long":       {func(r *oauth.Request) { r.Nonce = long(1025) }, oauth.InvalidRequest},
		"a hint that is too long":        {func(r *oauth.Request) { r.LoginHint = long(321) }, oauth.InvalidRequest},
		"an ID token that is too long":   {func(r *oauth.Request) { r.IDTokenHint = long(8193) }, oauth.InvalidRequest},
		"classes that are too long":      {func(r *oauth.Request) { r.ACRValues = long(513) }, oauth.InvalidRequest},
		"claims that are too long":       {func(r *oauth.Request) { r.Claims = long(8193) }, oauth.InvalidRequest},
		"a scope that is too long":       {func(r *oauth.Request) { r.Scope = long(4097) }, oauth.InvalidScope},
		"a resource that is too long":    {func(r *oauth.Request) { r.Resource = long(513) }, oauth.InvalidTarget},
		"a thumbprint":                   {func(r *oauth.Request) { r.JKT = challenge }, ""},
		"a thumbprint that is none":      {func(r *oauth.Request) { r.JKT = challenge + "=" }, oauth.InvalidRequest},
		"max_age 0":                      {func(r *oauth.Request) { r.MaxAge = &zero }, ""},
		"max_age below 0":                {func(r *oauth.Request) { r.MaxAge = &minus }, oauth.InvalidRequest},
		"prompts":                        {func(r *oauth.Request) { r.Prompt = "login consent select_account" }, ""},
		"prompt none":                    {func(r *oauth.Request) { r.Prompt = "none" }, ""},
		"prompt none with another":       {func(r *oauth.Request) { r.Prompt = "none login" }, oauth.InvalidRequest},
		"a prompt that nobody knows":     {func(r *oauth.Request) { r.Prompt = "create" }, oauth.InvalidRequest},
		"an unsigned request object":     {func(r *oauth.Request) { r.Object = "a.b." }, oauth.RequestNotSupported},
		"without a response type":        {func(r *oauth.Request) { r.ResponseType = "" }, oauth.InvalidRequest},
		"for a token":                    {func(r *oauth.Request) { r.ResponseType = "token" }, oauth.UnsupportedResponseType},
		"for a code and an ID token":     {func(r *oauth.Request) { r.ResponseType = "code id_token" }, oauth.UnsupportedResponseType},
		"by query":                       {func(r *oauth.Request) { r.ResponseMode = oauth.ByQuery }, ""},
		"by form":                        {func(r *oauth.Request) { r.ResponseMode = oauth.ByForm }, ""},
		"by fragment":                    {func(r *oauth.Request) { r.ResponseMode = "fragment" }, oauth.InvalidRequest},
		"a method alone":                 {func(r *oauth.Request) { r.Challenge = "" }, oauth.InvalidRequest},
		"a plain challenge":              {func(r *oauth.Request) { r.Method = "plain" }, oauth.InvalidRequest},
		"a challenge without its method": {func(r *oauth.Request) { r.Method = "" }, oauth.InvalidRequest},
		"a challenge that is too short":  {func(r *oauth.Request) { r.Challenge = challenge[1:] }, oauth.InvalidRequest},
		"a challenge in plain base64":    {func(r *oauth.Request) { r.Challenge = challenge[:42] + "+" }, oauth.InvalidRequest},
	} {
		got := ""
		if refusal := asked(c.change).Check(client(app.Web)); refusal != nil {
			got = refusal.Code
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What a client is registered for decides, and public clients never go without PKCE.
func TestCheckForClients(t *testing.T) {
	t.Parallel()
	bare := func(r *oauth.Request) { r.Challenge, r.Method = "", "" }
	service, fapi := client(app.Web), client(app.Web)
	service.GrantTypes = []app.GrantType{app.ClientCredentials}
	fapi.Profile = app.FAPI2
	for name, c := range map[string]struct {
		client app.Snapshot
		change func(*oauth.Request)
		want   string
	}{
		"without the grant type":           {service, nil, oauth.UnauthorizedClient},
		"a browser's, with PKCE":           {client(app.SPA), nil, ""},
		"a browser's, without PKCE":        {client(app.SPA), bare, oauth.InvalidRequest},
		"a device's, without PKCE":         {client(app.Native), bare, oauth.InvalidRequest},
		"of FAPI, without PKCE":            {fapi, bare, oauth.InvalidRequest},
		"of FAPI, without redirect_uri":    {fapi, func(r *oauth.Request) { r.RedirectURI = "" }, oauth.InvalidRequest},
		"of no profile, without an answer": {client(app.Web), func(r *oauth.Request) { r.RedirectURI = "" }, ""},
	} {
		got := ""
		if refusal := asked(c.change).Check(c.client); refusal != nil {
			got = refusal.Code
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// An answer goes to a registered address alone, compared exactly; but for the port of a native app's loopback.
func TestRedirectable(t *testing.T) {
	t.Parallel()
	native := app.Snapshot{Type: app.Native, Addresses: app.Addresses{RedirectURLs: []string{"http://127.0.0.1/cb", "http://localhost:8080/cb", "com.example:/cb", "https://[::1]/tls", "http://lan.example/cb"}}}
	several := client(app.Web)
	several.RedirectURLs = append(slices.Clone(several.RedirectURLs), "http://127.0.0.1/cb")
	for name, c := range map[string]struct {
		client app.Snapshot
		asked  string
		want   string
	}{
		"none, of one":            {client(app.Web), "", "https://c.example/cb"},
		"none, of several":        {several, "", ""},
		"as registered":           {client(app.Web), "https://c.example/cb", "https://c.example/cb"},
		"with a slash":            {client(app.Web), "https://c.example/cb/", ""},
		"with a query":            {client(app.Web), "https://c.example/cb?x=1", ""},
		"in capitals":             {client(app.Web), "https://C.example/cb", ""},
		"the host as a user":      {client(app.Web), "https://c.example@evil.example/cb", ""},
		"a port, of a web app":    {several, "http://127.0.0.1:51004/cb", ""},
		"a port, native":          {native, "http://127.0.0.1:51004/cb", "http://127.0.0.1:51004/cb"},
		"another port, localhost": {native, "http://localhost:51004/cb", "http://localhost:51004/cb"},
		"another loopback":        {native, "http://[::1]:51004/cb", ""},
		"a port, another path":    {native, "http://127.0.0.1:51004/other", ""},
		"a port, encrypted":       {native, "https://127.0.0.1:51004/cb", ""},
		"a port, with a user":     {native, "http://evil.example:80@127.0.0.1:51004/cb", ""},
		"a port, with a fragment": {native, "http://127.0.0.1:51004/cb#x", ""},
		"a port, another host":    {native, "http://127.0.0.1.evil.example:51004/cb", ""},
		"a port that is none":     {native, "http://127.0.0.1:x/cb", ""},
		"a port beyond all":       {native, "http://127.0.0.1:99999/cb", ""},
		"a port of a TLS address": {native, "https://[::1]:51004/tls", ""},
		"a port, no loopback":     {native, "http://lan.example:51004/cb", ""},
		"a scheme of its own":     {native, "com.example:/cb", "com.example:/cb"},
	} {
		got, ok := oauth.Redirectable(c.client, c.asked)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: Redirectable(%q) = %q, %v, want %q", name, c.asked, got, ok, c.want)
		}
	}
}

func TestVerifies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		challenge, verifier string
		want                bool
	}{{challenge, verifier, true}, {challenge, verifier + "x", false}, {challenge, "", false}, {"", verifier, false}, {"", "", false}, {verifier, verifier, false}} {
		if got := oauth.Verifies(c.challenge, c.verifier); got != c.want {
			t.Errorf("Verifies(%q, %q) = %v, want %v", c.challenge, c.verifier, got, c.want)
		}
	}
}

// The answer carries the issuer, and comes back out of its address whole (RFC 9207).
func TestAnswers(t *testing.T) {
	t.Parallel()
	const issuer = "https://id.example"
	for name, c := range map[string]struct {
		address, state string
		parameters     []string
	}{
		"a code":                {"https://c.example/cb", "s", []string{"code", "abc"}},
		"without a state":       {"https://c.example/cb", "", []string{"code", "abc"}},
		"an error":              {"https://c.example/cb", "s", []string{"error", "access_denied", "error_description", "no"}},
		"a query of its own":    {"https://c.example/cb?tenant=1", "s", []string{"code", "abc"}},
		"a code of its own":     {"https://c.example/cb?code=mine", "s", []string{"code", "abc"}},
		"a code further on":     {"https://c.example/cb?a=1&code=mine", "s", []string{"code", "abc"}},
		"an error of its own":   {"https://c.example/cb?a=1&error=mine", "s", []string{"code", "abc"}},
		"a state that pretends": {"https://c.example/cb", "&code=evil&error=evil", []string{"code", "abc"}},
	} {
		want := url.Values{"iss": {issuer}}
		for i := 0; i < len(c.parameters); i += 2 {
			want.Set(c.parameters[i], c.parameters[i+1])
		}
		if c.state != "" {
			want.Set("state", c.state)
		}
		address, got, err := oauth.Posted(oauth.Answer(c.address, issuer, c.state, c.parameters...))
		if err != nil || address != c.address || got.Encode() != want.Encode() {
			t.Errorf("%s: got %s with %v, %v, want %s with %v", name, address, got, err, c.address, want)
		}
	}
	if address, got, err := oauth.Posted("https://c.example/cb"); address != "https://c.example/cb" || got != nil || err != nil {
		t.Errorf("what is no answer: got %s, %v, %v, want it as it is", address, got, err)
	}
	for state, want := range map[string]string{"": "https://c.example/out?a=1", "x y": "https://c.example/out?a=1&state=x+y"} {
		if got := oauth.Returning("https://c.example/out?a=1", state); got != want {
			t.Errorf("Returning() with the state %q = %s, want %s", state, got, want)
		}
	}
}

// What a page shows of an address, and what it lets a form be sent to, is never more than its origin.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct{ domain, origin string }{
		"https://c.example:8443/cb?x=1": {"c.example", "https://c.example:8443"},
		"http://[::1]:80/cb":            {"::1", "http://[::1]:80"},
		"com.example:/cb":               {"com.example", "com.example:"},
		"https://a;script-src */cb":     {"", ""},
		"https://a.example;b/cb":        {"a.example;b", ""},
		"https://a.example'self'/cb":    {"a.example'self'", ""},
		"%":                             {"", ""},
	} {
		if got := oauth.Domain(address); got != want.domain {
			t.Errorf("Domain(%q) = %q, want %q", address, got, want.domain)
		}
		if got := oauth.Origin(address); got != want.origin {
			t.Errorf("Origin(%q) = %q, want %q", address, got, want.origin)
		}
	}
}

func TestRequestParts(t *testing.T) {
	t.Parallel()
	r := asked(func(r *oauth.Request) { r.Scope, r.Prompt = " openid  email openid ", "login consent" })
	if got, want := r.Scopes(), []string{"openid", "email"}; !slices.Equal(got, want) {
		t.Errorf("Scopes() = %q, want %q", got, want)
	}
	if !r.Prompts("login") || r.Prompts("log") || r.Prompts("none") {
		t.Errorf("Prompts() = login %v, log %v, none %v, want true, false, false", r.Prompts("login"), r.Prompts("log"), r.Prompts("none"))
	}
	for length, want := range map[int]int{2048: 2048, 2049: 0} {
		if got := len(oauth.Request{State: strings.Repeat("a", length)}.WithoutExcess().State); got != want {
			t.Errorf("WithoutExcess() of a state of %d = %d characters, want %d", length, got, want)
		}
	}
	if oauth.RefusalOf(nil) != nil || oauth.RefusalOf(&oauth.Refusal{Code: oauth.InvalidScope}).Code != oauth.InvalidScope {
		t.Error("RefusalOf() finds a refusal where there is none, or none where there is one")
	}
}

// Of a request object that was not verified, only where an error goes is read.
func TestAnswerByObject(t *testing.T) {
	t.Parallel()
	encode := base64.RawURLEncoding.EncodeToString
	object := func(claims string) string {
		return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "."
	}
	full := object(`{"state":"theirs","response_mode":"form_post","scope":"admin","redirect_uri":"https://evil.example"}`)
	for name, c := range map[string]struct{ object, state, wantState, wantMode string }{
		"read":              {full, "", "theirs", "form_post"},
		"beside the state":  {full, "mine", "mine", "form_post"},
		"no JSON":           {object("{"), "", "", ""},
		"no base64":         {"a.%.c", "", "", ""},
		"of one part":       {"abc", "", "", ""},
		"other types in it": {object(`{"state":1}`), "", "", ""},
	} {
		r := asked(func(r *oauth.Request) { r.Object, r.State = c.object, c.state })
		r.AnswerByObject()
		if r.State != c.wantState || r.ResponseMode != c.wantMode || r.Scope != "openid" || r.RedirectURI != asked(nil).RedirectURI {
			t.Errorf("%s: got %+v, want the state %q and mode %q alone", name, r, c.wantState, c.wantMode)
		}
	}
	for header, want := range map[string]bool{`{"alg":"none"}`: true, `{"alg":"NONE"}`: true, `{"alg":"ES256"}`: false, `{}`: false, `{`: false} {
		if got := oauth.Unsigned(encode([]byte(header)) + ".e30."); got != want {
			t.Errorf("Unsigned() of %s = %v, want %v", header, got, want)
		}
	}
}
