package live_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	w := &world{up: up, Service: harness.On(t, database, append(up.Environment(), "SOCIAL_REDIRECT_URLS="+page)...)}
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

// way is a way to tokens: it prepares what comes before, and returns the last call.
type way struct {
	trigger string
	prepare func(w *world) func() *harness.Reply
	// mfa is what require_mfa comes to for somebody without a second factor, or with the one
	// that they just gave: an action, an error, tokens, or nothing where no flow may ask.
	mfa string
}

const (
	enrols  = "enroll_mfa"
	fails   = "fails"
	lets    = "tokens"
	neither = ""
)

func ways() map[string]way {
	login := func(w *world, address string) *harness.Reply {
		return w.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": harness.Password})
	}
	social := func(w *world) func() *harness.Reply {
		url := w.Anonymous().Do("SOCIAL.AUTH_URL", P{"provider": "google", "redirect_uri": page}).OK().String("url")
		code := w.Browser().Open(url).Get("code")
		return func() *harness.Reply {
			return w.Anonymous().Do("SOCIAL.CALLBACK", P{"provider": "google", "code": code, "redirect_uri": page})
		}
	}
	return map[string]way{
		"password": {"login", func(w *world) func() *harness.Reply {
			address, _ := w.someone()
			return func() *harness.Reply { return login(w, address) }
		}, enrols},
		"code": {"login", func(w *world) func() *harness.Reply {
			address, _ := w.someone()
			begun := w.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": address}).OK()
			code := w.MailedCode(address)
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun.String("challenge_id"), "code": code})
			}
		}, enrols},
		"switch": {"login", func(w *world) func() *harness.Reply {
			_, who := w.someone()
			org := who.Do("TEAM.CREATE", P{"name": "Engines", "slug": fmt.Sprintf("engines-%d", w.n)}).OK().String("organization.id")
			return func() *harness.Reply { return who.Do("TEAM.SWITCH", P{"org_id": org}) }
		}, fails},
		"sign-up": {"signup", func(w *world) func() *harness.Reply {
			w.n++
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.SIGNUP", P{"email": fmt.Sprintf("new-%d@example.com", w.n), "password": harness.Password, "display_name": "N"})
			}
		}, enrols},
		"invitation": {"signup", func(w *world) func() *harness.Reply {
			_, host := w.someone()
			address := fmt.Sprintf("guest-%d@example.com", w.n)
			host.Do("TEAM.INVITE", P{"email": address, "role": "member"}).OK()
			token := w.LastMail(address).Token()
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.SIGNUP", P{"email": address, "password": harness.Password, "display_name": "G", "invitation_token": token})
			}
		}, enrols},
		"invitation by code": {"signup", func(w *world) func() *harness.Reply {
			_, host := w.someone()
			address := fmt.Sprintf("guest-%d@example.com", w.n)
			host.Do("TEAM.INVITE", P{"email": address, "role": "member"}).OK()
			begun := w.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": address, "invitation_token": w.LastMail(address).Token()}).OK()
			code := w.MailedCode(address)
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun.String("challenge_id"), "code": code})
			}
		}, enrols},
		"passkey sign-up": {"signup", func(w *world) func() *harness.Reply {
			w.n++
			begun := w.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": fmt.Sprintf("key-%d@example.com", w.n), "display_name": "K"}).OK()
			made := w.Authenticator().Create(begun.Data["options"].(P))
			return func() *harness.Reply {
				return w.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", P{"challenge_id": begun.String("challenge_id"), "credential": made})
			}
		}, lets},
		"social sign-up": {"signup", func(w *world) func() *harness.Reply {
			w.n++
			w.up.Be(upstream.Person{ID: fmt.Sprint(5000 + w.n), Email: fmt.Sprintf("up-%d@example.com", w.n), Verified: true, Name: "U"})
			return social(w)
		}, enrols},
		"first social login": {"social_login", func(w *world) func() *harness.Reply {
			w.n++
			w.up.Be(upstream.Person{ID: fmt.Sprint(5000 + w.n), Email: fmt.Sprintf("up-%d@example.com", w.n), Verified: true, Name: "U"})
			return social(w)
		}, enrols},
		"social login": {"social_login", func(w *world) func() *harness.Reply {
			w.n++
			w.up.Be(upstream.Person{ID: fmt.Sprint(5000 + w.n), Email: fmt.Sprintf("up-%d@example.com", w.n), Verified: true, Name: "U"})
			social(w)().OK()
			return social(w)
		}, enrols},
		"passkey": {"passkey_login", func(w *world) func() *harness.Reply {
			_, who := w.someone()
			device := who.Passkey()
			return func() *harness.Reply { return w.LoginByPasskey(device) }
		}, lets},
		"second factor": {"mfa_verify", func(w *world) func() *harness.Reply {
			address, who := w.someone()
			app := who.EnrolApp()
			token := w.Challenge(address)
			return func() *harness.Reply {
				return w.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": app.Code()})
			}
		}, lets},
		"refresh": {"refresh", func(w *world) func() *harness.Reply {
			_, who := w.someone()
			return func() *harness.Reply { return w.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": who.RefreshToken}) }
		}, fails},
		"machine": {"m2m_token", func(w *world) func() *harness.Reply {
			_, who := w.someone()
			name := fmt.Sprintf("worker-%d", w.n)
			made := who.Do("APP.REGISTER", P{"name": name, "slug": name, "description": "", "redirect_urls": []string{}}).OK()
			return func() *harness.Reply {
				return w.Anonymous().Do("M2M.TOKEN", P{"client_id": name, "client_secret": made.String("api_key")})
			}
		}, neither},
	}
}

// Every trigger decides on every way to tokens that it is of.
func TestEveryWayIn(t *testing.T) {
	t.Parallel()
	for name, one := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachStore(t, func(t *testing.T, w *world) { one.walk(t, w) })
		})
	}
}

func (one way) walk(t *testing.T, w *world) {
	t.Helper()
	decided := func(name string, graph P) *harness.Reply {
		last := one.prepare(w)
		enable(w.root, "instance", name, one.trigger, graph)
		reply := last()
		w.root.Do("FLOW.DELETE", P{"name": name, "scope": "instance"}).OK()
		return reply
	}
	if decided("allows", line(P{"id": "ok", "type": "allow"})).OK().String("access_token") == "" {
		t.Error("a flow that allows gives no token")
	}
	denied := decided("denies", when("method != ''", deny())).Fails(fault.FlowBlocked)
	if f := denied.Failure.Flow; f == nil || *f != (fault.Flow{Name: "denies", Node: "deny", Reason: "Not you."}) {
		t.Errorf("denied by %+v", f)
	}
	broken := decided("fails", when("org.metadata.nothing == method", deny())).Fails(fault.FlowBlocked)
	if f := broken.Failure.Flow; f == nil || f.Reason != "flow_error" || f.Node != "if" {
		t.Errorf("a flow that fails denies by %+v", f)
	}
	claimed := decided("claims", line(P{"id": "set", "type": "set_claim", "config": P{"name": "tier", "expression": "'gold'"}})).OK()
	if got := claim(claimed.String("access_token"), "tier"); got != "gold" {
		t.Errorf("the claim is %v", got)
	}
	if one.mfa == neither {
		return
	}
	asked := decided("asks", line(P{"id": "mfa", "type": "require_mfa"}))
	switch one.mfa {
	case fails:
		asked.Fails(fault.Auth)
	case lets:
		asked.OK().String("access_token")
	default:
		if !slices.Contains(asked.OK().Strings("required_actions"), one.mfa) {
			t.Errorf("asked for %v", asked.Data)
		}
	}
}
