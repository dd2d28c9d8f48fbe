package live_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// asking lets flows ask servers of this machine.
func asking(t *testing.T, dsn string) *harness.Service {
	t.Helper()
	return harness.On(t, dsn, "WEBHOOK_ALLOW_PRIVATE=true", "WEBHOOK_ALLOW_HTTP=true")
}

// answering is a server of somebody else, with how often it was asked.
func answering(t *testing.T, answer http.HandlerFunc) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/check", asked
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// hang answers when whoever asked has gone.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func hook(id, url, onError string) P {
	return P{"id": id, "type": "webhook_check", "config": P{"url": url, "timeout_ms": 500, "on_error": onError}}
}

// allowed is a line whose webhook_check nodes lead on by what they allow.
func allowed(nodes ...P) P {
	g := line(nodes...)
	for i, edge := range g["edges"].([]P) {
		if i > 0 && nodes[i-1]["type"] == "webhook_check" {
			edge["when"] = "allow"
		}
	}
	return g
}

func login(h *harness.Service, address string) *harness.Reply {
	return h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": harness.Password})
}

// A server that answers nothing that makes sense stands for on_error.
func TestServersThatMisbehave(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := asking(t, dsn)
		root := h.Superadmin()
		h.SignUp("alice@example.com")
		elsewhere, followed := answering(t, text(`{"decision":"allow"}`))
		for name, answer := range map[string]http.HandlerFunc{
			"hangs":         hang,
			"answers 10 MB": text(`{"decision":"allow","reason":"` + strings.Repeat("x", 10<<20) + `"}`),
			"redirects": func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
			},
			"fails": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = io.WriteString(w, `{"decision":"allow"}`)
			},
			"says else":      text(`{"decision":"perhaps"}`),
			"says nothing":   text(""),
			"says two":       text(`{"decision":"allow"}{"decision":"deny"}`),
			"claims to be":   text(`{"decision":"allow","claims":{"sub":"usr_1"}}`),
			"ends too early": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		} {
			url, asked := answering(t, answer)
			enable(root, "instance", "closed", "login", line(hook("ask", url, "deny")))
			if f := login(h, "alice@example.com").Fails(fault.FlowBlocked).Failure.Flow; f.Node != "ask" || f.Reason != "flow_error" {
				t.Errorf("%s: denied by %+v", name, f)
			}
			enable(root, "instance", "open", "login", line(hook("ask", url, "allow")))
			if got := login(h, "alice@example.com"); got.Failure != nil || claim(got.String("access_token"), "sub") == "usr_1" {
				t.Errorf("%s: on_error allow gives %+v", name, got.Failure)
			}
			if asked.Load() != 2 {
				t.Errorf("%s: was asked %d times, want once each", name, asked.Load())
			}
			root.Do("FLOW.DELETE", P{"name": "closed", "scope": "instance"}).OK()
			root.Do("FLOW.DELETE", P{"name": "open", "scope": "instance"}).OK()
		}
		if followed.Load() != 0 {
			t.Error("a redirect is followed")
		}
	})
}

// All calls of a run wait two seconds together, then the run fails closed.
func TestCallsOfARunShareTheirTime(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := asking(t, dsn)
		root := h.Superadmin()
		h.SignUp("alice@example.com")
		url, asked := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			h.Clock.Advance(450 * time.Millisecond)
			_, _ = io.WriteString(w, "nothing")
		})
		var nodes []P
		for i := range 63 {
			nodes = append(nodes, hook(fmt.Sprint("n", i), url, "allow"))
		}
		enable(root, "instance", "slow", "login", allowed(nodes...))
		if f := login(h, "alice@example.com").Fails(fault.FlowBlocked).Failure.Flow; f.Node != "n5" || f.Reason != "flow_error" {
			t.Errorf("denied by %+v, want the node at which 2 s have passed", f)
		}
		if asked.Load() != 5 {
			t.Errorf("the server was asked %d times, want 5", asked.Load())
		}
	})
}

// Servers of private networks are not asked: neither does a flow come to be, nor is one that
// came to be elsewhere run.
func TestServersOfPrivateNetworksAreNotAsked(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		open, strict := asking(t, dsn), harness.InProduction(t, dsn)
		root := strict.Superadmin()
		strict.SignUp("alice@example.com")
		for _, inward := range []string{
			"http://hooks.example.com/x", "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/x", "https://10.0.0.1/x",
			"https://169.254.169.254/latest", "https://[fd00::1]/x", "https://[::ffff:10.0.0.1]/x", "https://0x0a000001/x",
			"https://vault.internal/x", "ftp://example.com/x", "https://example.com:22/x",
		} {
			g := line(hook("ask", inward, "allow"))
			root.Do("FLOW.CREATE", P{"name": "x", "trigger": "login", "nodes": g["nodes"], "edges": g["edges"]}).Fails(fault.Validation).Field("/nodes/1/config/url")
		}
		url, asked := answering(t, text(`{"decision":"allow"}`))
		enable(root, "instance", "ask", "login", line(P{"id": "ok", "type": "allow"}))
		g := line(hook("ask", url, "allow"))
		open.With(root.AccessToken).Do("FLOW.UPDATE", P{"name": "ask", "scope": "instance", "nodes": g["nodes"], "edges": g["edges"], "force": true}).OK()
		before := asked.Load()
		if f := login(strict, "alice@example.com").Fails(fault.FlowBlocked).Failure.Flow; f.Reason != "flow_error" {
			t.Errorf("denied by %+v", f)
		}
		if asked.Load() != before {
			t.Error("a server of this machine was asked")
		}
	})
}

// A request is decided by one version, whole, whatever another replica enables meanwhile; the
// next one is decided by the new one, on every replica.
func TestOneVersionDecidesARequest(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		one, two := asking(t, dsn), asking(t, dsn)
		root := two.Superadmin()
		one.SignUp("alice@example.com")
		var url string
		graph := func(version string) P {
			set := func(name string) P {
				return P{"id": name, "type": "set_claim", "config": P{"name": name, "expression": "'" + version + "'"}}
			}
			return allowed(set("before"), hook("ask", url, "deny"), set("after"))
		}
		var changed atomic.Bool
		url, _ = answering(t, func(w http.ResponseWriter, _ *http.Request) {
			if changed.CompareAndSwap(false, true) {
				g := graph("new")
				root.Do("FLOW.UPDATE", P{"name": "versions", "scope": "instance", "nodes": g["nodes"], "edges": g["edges"], "force": true}).OK()
			}
			_, _ = io.WriteString(w, `{"decision":"allow"}`)
		})
		changed.Store(true)
		enable(root, "instance", "versions", "login", graph("old"))
		changed.Store(false)
		for i, want := range []string{"old", "new", "new"} {
			token := login([]*harness.Service{one, one, two}[i], "alice@example.com").OK().String("access_token")
			if claim(token, "before") != want || claim(token, "after") != want {
				t.Errorf("login %d is decided by %v before and %v after, want %s", i, claim(token, "before"), claim(token, "after"), want)
			}
		}
	})
}

// A flow that allows everything lifts nothing of what the built-in handling demands.
func TestAFlowLiftsNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		trigger string
		try     func(h *harness.Service, root, who *harness.Actor, address string) string
		want    string
	}{
		"a wrong password": {"login", func(h *harness.Service, _, _ *harness.Actor, address string) string {
			return came(h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": "another battery"}))
		}, "AUTH_ERROR"},
		"a lockout": {"login", func(h *harness.Service, _, _ *harness.Actor, address string) string {
			for range 10 {
				h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": "another battery"}).Fails(fault.Auth)
			}
			return came(login(h, address))
		}, "AUTH_ERROR"},
		"a disabled account": {"login", func(h *harness.Service, root, who *harness.Actor, address string) string {
			root.Do("USER.DISABLE", P{"user_id": who.UserID}).OK()
			return came(login(h, address))
		}, "AUTH_ERROR"},
		"a second factor": {"login", func(h *harness.Service, _, who *harness.Actor, address string) string {
			who.EnrollApp()
			return came(login(h, address))
		}, "challenge"},
		"a wrong second factor": {"mfa_verify", func(h *harness.Service, _, who *harness.Actor, address string) string {
			who.EnrollApp()
			return came(h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(address), "code": "000000"}))
		}, "AUTH_ERROR"},
		"a limit": {"login", func(h *harness.Service, _, _ *harness.Actor, address string) string {
			who, last := h.Anonymous().From(7), ""
			for range 40 {
				last = came(who.Do("AUTH.LOGIN", P{"email": address, "password": harness.Password}))
			}
			return last
		}, "RATE_LIMITED"},
		"a session that ended": {"refresh", func(h *harness.Service, _, who *harness.Actor, _ string) string {
			who.Do("AUTH.LOGOUT", nil).OK()
			return came(h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": who.RefreshToken}))
		}, "AUTH_ERROR"},
		"an address that is taken": {"signup", func(h *harness.Service, _, _ *harness.Actor, address string) string {
			return came(h.Anonymous().Do("AUTH.SIGNUP", P{"email": address, "password": harness.Password, "display_name": "N"}))
		}, "VALIDATION_ERROR"},
	}
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := harness.On(t, dsn)
		root, n := h.Superadmin(), 0
		for name, one := range tests {
			try := func() string {
				n++
				address := fmt.Sprintf("person-%d@example.com", n)
				return one.try(h, root, h.SignUp(address), address)
			}
			without := try()
			enable(root, "instance", "allows", one.trigger, when("true", P{"id": "ok", "type": "allow"}))
			with := try()
			root.Do("FLOW.DELETE", P{"name": "allows", "scope": "instance"}).OK()
			h.Clock.Advance(2 * time.Hour) // for the limits
			root = h.Superadmin()
			if with != one.want || without != one.want {
				t.Errorf("%s comes to %s, with a flow that allows to %s, want %s", name, without, with, one.want)
			}
		}
	})
}

// came is what a way in came to.
func came(reply *harness.Reply) string {
	switch {
	case reply.Failure != nil:
		return string(reply.Failure.Code)
	case reply.Has("challenge_token"):
		return "challenge"
	default:
		return "tokens"
	}
}

// Whatever a flow denies, who proved nothing is not told whether there is an account.
func TestDenialsRevealNoAccount(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := harness.On(t, dsn)
		root := h.Superadmin()
		h.SignUp("alice@example.com")
		for name, c := range map[string]struct {
			expression string
			proved     fault.Code
			unproved   fault.Code
		}{
			"by the account":     {"user.email_domain == 'example.com'", fault.FlowBlocked, fault.Auth},
			"before any account": {"ip.version == 4", fault.FlowBlocked, fault.FlowBlocked},
			"by failing":         {"user.metadata.nothing == 'x'", fault.FlowBlocked, fault.Auth},
		} {
			enable(root, "instance", "denies", "login", when(c.expression, deny()))
			try := func(address, password string) *fault.Error {
				return h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": password}).Failure
			}
			known, unknown := try("alice@example.com", "another battery"), try("nobody@example.com", "another battery")
			if known == nil || known.Code != c.unproved || !reflect.DeepEqual(shown(known), shown(unknown)) {
				t.Errorf("%s: a known address is told %+v, an unknown one %+v", name, known, unknown)
			}
			if got := try("alice@example.com", harness.Password); got == nil || got.Code != c.proved {
				t.Errorf("%s: who gave the password is told %+v", name, got)
			}
			root.Do("FLOW.DELETE", P{"name": "denies", "scope": "instance"}).OK()

			enable(root, "instance", "resets", "password_reset", when("true", deny()))
			forgot := func(address string) *harness.Reply {
				return h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": address}).OK()
			}
			if a, b := forgot("alice@example.com"), forgot("nobody@example.com"); !reflect.DeepEqual(a.Data, b.Data) {
				t.Errorf("a forgotten password of a known address answers %v, of an unknown one %v", a.Data, b.Data)
			}
			root.Do("FLOW.DELETE", P{"name": "resets", "scope": "instance"}).OK()
		}
	})
}

// shown is what a failure says to the outside.
func shown(f *fault.Error) P {
	if f == nil {
		return nil
	}
	return P{"code": f.Code, "message": f.Message, "fields": f.Fields, "flow": f.Flow, "after": f.RetryAfter}
}

// At a sign-in the flow of the instance decides first, then that of the workspace; the first
// that denies ends it.
func TestTheInstanceDecidesBeforeTheWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := harness.On(t, dsn)
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		h.SignUp("bob@example.com")
		set := func(name string) P {
			return line(P{"id": "set", "type": "set_claim", "config": P{"name": name, "expression": "'x'"}})
		}
		runs := func() int { return len(alice.Do("FLOW.RUN_LIST", nil).OK().List("items")) }
		enable(root, "instance", "marks", "login", set("of_instance"))
		enable(alice, "workspace", "marks", "login", set("of_workspace"))
		token := login(h, "alice@example.com").OK().String("access_token")
		if claim(token, "of_instance") != "x" || claim(token, "of_workspace") != "x" {
			t.Error("the claims of one of the flows are missing")
		}
		if other := login(h, "bob@example.com").OK().String("access_token"); claim(other, "of_instance") != "x" || claim(other, "of_workspace") != nil {
			t.Error("the flow of a workspace decides about another one")
		}

		enable(alice, "workspace", "ours", "login", when("user.email_domain != ''", deny()))
		if f := login(h, "alice@example.com").Fails(fault.FlowBlocked).Failure.Flow; f.Name != "ours" {
			t.Errorf("denied by %+v, want the flow of the workspace", f)
		}
		login(h, "bob@example.com").OK()
		before := runs()
		enable(root, "instance", "all", "login", when("user.email_domain != ''", deny()))
		if f := login(h, "alice@example.com").Fails(fault.FlowBlocked).Failure.Flow; f.Name != "all" {
			t.Errorf("denied by %+v, want the flow of the instance", f)
		}
		if after := runs(); after != before {
			t.Errorf("the flow of the workspace ran %d times after a denial", after-before)
		}
		login(h, "bob@example.com").Fails(fault.FlowBlocked)
	})
}
