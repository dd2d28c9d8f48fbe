package live_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

type P = harness.P

const page = "https://app.example.com/done"

// world is a service with a provider, and somebody in it.
type world struct {
	*harness.Service

	up   *upstream.Server
	root *harness.Actor
	n    int
}

func newWorld(t *testing.T, database string) *world {
	t.Helper()
	up := upstream.Start(t, upstream.Google)
	w := &world{up: up, Service: harness.On(t, database, append(up.Environment(), "SOCIAL_REDIRECT_URLS="+page, "WEBHOOK_ALLOW_PRIVATE=true", "WEBHOOK_ALLOW_HTTP=true")...)}
	w.root = w.Superadmin()
	return w
}

// onEachStore runs a test on both databases.
func onEachStore(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, newWorld(t, harness.SQLite(t)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, newWorld(t, harness.Postgres(t)))
	})
}

// someone signs somebody up whom nobody knows.
func (w *world) someone() (string, *harness.Actor) {
	w.n++
	address := fmt.Sprintf("person-%d@example.com", w.n)
	return address, w.SignUp(address)
}

// line is a graph of nodes one behind another.
func line(nodes ...P) P {
	all, edges, last := []P{{"id": "start", "type": "start"}}, []P{}, "start"
	for _, n := range nodes {
		all, edges, last = append(all, n), append(edges, P{"from": last, "to": n["id"]}), n["id"].(string)
	}
	return P{"nodes": all, "edges": edges}
}

// when is a graph that goes on to a node where an expression holds.
func when(expression string, then P) P {
	g := line(P{"id": "if", "type": "condition", "config": P{"expression": expression}}, then)
	g["edges"].([]P)[1]["when"] = "true"
	return g
}

func deny() P { return P{"id": "deny", "type": "deny", "config": P{"reason": "Not you."}} }

// enable makes a flow that decides; it is enabled although it would deny its maker.
func enable(who *harness.Actor, scope, name, trigger string, graph P) {
	who.Do("FLOW.CREATE", P{
		"name": name, "trigger": trigger, "scope": scope, "nodes": graph["nodes"], "edges": graph["edges"], "enabled": true, "force": true,
	}).OK()
}

// claim is a claim of an access token.
func claim(token, name string) any {
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token+"..", ".")[1])
	var claims P
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return nil
	}
	return claims[name]
}

// way is a way to tokens, or to a new password: it prepares what comes before, and returns the
// last call, with who writes the flows of the workspace that it enters; nil: none is entered
// that has flows.
type way struct {
	trigger string
	prepare func(w *world) (last call, owner *harness.Actor)
	// mfa is what require_mfa comes to for somebody without a second factor, or with the one
	// that they just gave: an action, an error, tokens, or nothing where no flow may ask.
	mfa string
	// silent reports whether the call answers the same whatever a flow decides, bare whether
	// it gives no tokens.
	silent, bare bool
}

type call = func() *harness.Reply

const (
	enrolls = "enroll_mfa"
	fails   = "fails"
	lets    = "tokens"
	neither = ""
)

func ways() map[string]way {
	all := waysOfAccounts()
	maps.Copy(all, waysOfNewcomers())
	maps.Copy(all, waysWithoutSession())
	return all
}

// social comes by a provider.
func (w *world) social() call {
	url := w.Anonymous().Do("SOCIAL.AUTH_URL", P{"provider": "google", "redirect_uri": page}).OK().String("url")
	code := w.Browser().Open(url).Get("code")
	return func() *harness.Reply {
		return w.Anonymous().Do("SOCIAL.CALLBACK", P{"provider": "google", "code": code, "redirect_uri": page})
	}
}

// upstream is somebody new at the provider.
func (w *world) upstream() {
	w.n++
	w.up.Be(upstream.Person{ID: fmt.Sprint(5000 + w.n), Email: fmt.Sprintf("up-%d@example.com", w.n), Verified: true, Name: "U"})
}

// invited invites somebody who has no account.
func (w *world) invited() (address, token string, host *harness.Actor) {
	w.n++
	host, address = w.SignUpVerified(fmt.Sprintf("host-%d@example.com", w.n)), fmt.Sprintf("guest-%d@example.com", w.n)
	host.Do("TEAM.INVITE", P{"email": address, "role": "member"}).OK()
	return address, w.LastMail(address).Token(), host
}

// codeOf asks for a code by mail.
func (w *world) codeOf(address string, more P) call {
	params := P{"email": address}
	maps.Copy(params, more)
	begun := w.Anonymous().Do("AUTH.PASSWORDLESS_START", params).OK()
	code := w.MailedCode(address)
	return func() *harness.Reply {
		return w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun.String("challenge_id"), "code": code})
	}
}

// waysOfAccounts are those of who has an account.
func waysOfAccounts() map[string]way {
	return map[string]way{
		"password": {trigger: "login", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			address, who := w.someone()
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": harness.Password})
			}, who
		}},
		"code": {trigger: "login", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			address, _ := w.someone()
			bound := w.codeOf(address, nil)().OK()
			w.Clock.Advance(time.Minute) // until another code is mailed
			return w.codeOf(address, nil), w.With(bound.String("access_token"))
		}},
		"switch": {trigger: "login", mfa: fails, prepare: func(w *world) (call, *harness.Actor) {
			address, who := w.someone()
			org := who.Do("TEAM.CREATE", P{"name": "Engines", "slug": fmt.Sprintf("engines-%d", w.n)}).OK().String("organization.id")
			owner := w.Login(address, harness.Password).Do("TEAM.SWITCH", P{"org_id": org}).OK().String("access_token")
			return func() *harness.Reply { return who.Do("TEAM.SWITCH", P{"org_id": org}) }, w.With(owner)
		}},
		"social login": {trigger: "social_login", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			w.upstream()
			who := w.With(w.social()().OK().String("access_token"))
			return w.social(), who
		}},
		"passkey": {trigger: "passkey_login", mfa: lets, prepare: func(w *world) (call, *harness.Actor) {
			_, who := w.someone()
			device := who.Passkey()
			return func() *harness.Reply { return w.LoginByPasskey(device) }, who
		}},
		"second factor": {trigger: "mfa_verify", mfa: lets, prepare: func(w *world) (call, *harness.Actor) {
			address, who := w.someone()
			app := who.EnrollApp()
			token := w.Challenge(address)
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": app.Code()})
			}, who
		}},
		"refresh": {trigger: "refresh", mfa: fails, prepare: func(w *world) (call, *harness.Actor) {
			_, who := w.someone()
			return func() *harness.Reply { return w.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": who.RefreshToken}) }, who
		}},
	}
}

// waysOfNewcomers are those of who has none yet. Only an invitation names a workspace.
func waysOfNewcomers() map[string]way {
	signUp := func(w *world, address string, more P) *harness.Reply {
		params := P{"email": address, "password": harness.Password, "display_name": "N"}
		maps.Copy(params, more)
		return w.Anonymous().Do("AUTH.SIGNUP", params)
	}
	return map[string]way{
		"sign-up": {trigger: "signup", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			w.n++
			return func() *harness.Reply { return signUp(w, fmt.Sprintf("new-%d@example.com", w.n), nil) }, nil
		}},
		"invitation": {trigger: "signup", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			address, token, host := w.invited()
			return func() *harness.Reply { return signUp(w, address, P{"invitation_token": token}) }, host
		}},
		"invitation by code": {trigger: "signup", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			address, token, host := w.invited()
			return w.codeOf(address, P{"invitation_token": token}), host
		}},
		"passkey sign-up": {trigger: "signup", mfa: lets, prepare: func(w *world) (call, *harness.Actor) {
			w.n++
			begun := w.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": fmt.Sprintf("key-%d@example.com", w.n), "display_name": "K"}).OK()
			made := w.Authenticator().Create(begun.Data["options"].(P))
			return func() *harness.Reply {
				return w.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", P{"challenge_id": begun.String("challenge_id"), "credential": made})
			}, nil
		}},
		"social sign-up": {trigger: "signup", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			w.upstream()
			return w.social(), nil
		}},
		"first social login": {trigger: "social_login", mfa: enrolls, prepare: func(w *world) (call, *harness.Actor) {
			w.upstream()
			return w.social(), nil
		}},
	}
}

// waysWithoutSession are those of machines, and of who forgot their password.
func waysWithoutSession() map[string]way {
	return map[string]way{
		"machine": {trigger: "m2m_token", mfa: neither, prepare: func(w *world) (call, *harness.Actor) {
			_, who := w.someone()
			name := fmt.Sprintf("worker-%d", w.n)
			made := who.Do("APP.REGISTER", P{"name": name, "slug": name, "description": "", "redirect_urls": []string{}}).OK()
			return func() *harness.Reply {
				return w.Anonymous().Do("M2M.TOKEN", P{"client_id": name, "client_secret": made.String("api_key")})
			}, who
		}},
		"forgotten password": {trigger: "password_reset", mfa: neither, bare: true, silent: true, prepare: func(w *world) (call, *harness.Actor) {
			address, _ := w.someone()
			return func() *harness.Reply { return w.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": address}) }, nil
		}},
		"reset": {trigger: "password_reset", mfa: neither, bare: true, prepare: func(w *world) (call, *harness.Actor) {
			address, _ := w.someone()
			w.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": address}).OK()
			token := w.LastMail(address).Token()
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": token, "password": "another long battery"})
			}, nil
		}},
	}
}

// Every trigger decides on every way in that it is of, by the flow of the instance and by that
// of the workspace that is entered.
func TestEveryWayIn(t *testing.T) {
	t.Parallel()
	for name, one := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachStore(t, func(t *testing.T, w *world) {
				one.walk(t, w, "instance")
				if _, owner := one.prepare(w); owner != nil {
					one.walk(t, w, "workspace")
				}
			})
		})
	}
}

// decided is what the last call comes to while a flow decides, of which a run must be stored.
func (one way) decided(t *testing.T, w *world, scope, name string, graph P) *harness.Reply {
	t.Helper()
	last, owner := one.prepare(w)
	by := w.root
	if scope == "workspace" {
		by = owner
	}
	enable(by, scope, name, one.trigger, graph)
	w.DeliverMail()
	reply := last()
	if one.silent {
		reply.OK().Data["mailed"] = w.DeliverMail()
	}
	by.Do("FLOW.DELETE", P{"name": name, "scope": scope}).OK()
	if runs := by.Do("FLOW.RUN_LIST", P{"name": name, "trigger": one.trigger}).OK().List("items"); len(runs) == 0 {
		t.Errorf("no run of the flow %s of the %s is stored", name, scope)
	}
	return reply
}

func (one way) walk(t *testing.T, w *world, scope string) {
	t.Helper()
	decided := func(name string, graph P) *harness.Reply { return one.decided(t, w, scope, name, graph) }
	let := decided("allows", line(P{"id": "ok", "type": "allow"})).OK()
	if !one.bare && let.String("access_token") == "" || one.silent && let.Data["mailed"] != 1 {
		t.Errorf("a flow of the %s that allows gives %v", scope, let.Data)
	}
	one.denies(t, scope, decided("denies", when("method != ''", deny())), fault.Flow{Name: "denies", Node: "deny", Reason: "Not you."})
	one.denies(t, scope, decided("fails", when("org.metadata.nothing == method", deny())), fault.Flow{Name: "fails", Node: "if", Reason: "flow_error"})
	set := line(P{"id": "set", "type": "set_claim", "config": P{"name": "tier", "expression": "'gold'"}})
	ask := line(P{"id": "mfa", "type": "require_mfa"})
	if one.bare {
		one.refuses(w, set)
	} else if got := claim(decided("claims", set).OK().String("access_token"), "tier"); got != "gold" {
		t.Errorf("the claim of the %s is %v", scope, got)
	}
	if one.mfa == neither {
		one.refuses(w, ask)
		return
	}
	asked := decided("asks", ask)
	switch one.mfa {
	case fails:
		asked.Fails(fault.Auth)
	case lets:
		asked.OK().String("access_token")
	default:
		if !slices.Contains(asked.OK().Strings("required_actions"), one.mfa) {
			t.Errorf("the flow of the %s asked for %v", scope, asked.Data)
		}
	}
}

// denies checks an answer to who is denied.
func (one way) denies(t *testing.T, scope string, reply *harness.Reply, want fault.Flow) {
	t.Helper()
	if one.silent {
		if reply.Data["mailed"] != 0 {
			t.Errorf("%s: a mail is sent although %s", scope, want.Name)
		}
		return
	}
	if f := reply.Fails(fault.FlowBlocked).Failure.Flow; f == nil || *f != want {
		t.Errorf("denied by %+v, want %+v of the %s", f, want, scope)
	}
}

// refuses checks that a graph which asks for what the trigger cannot give is not stored.
func (one way) refuses(w *world, graph P) {
	w.root.Do("FLOW.CREATE", P{"name": "never", "trigger": one.trigger, "nodes": graph["nodes"], "edges": graph["edges"]}).
		Fails(fault.Validation).Field("/nodes/1/type")
}
