package operations_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// The calls of these tests come from 10.0.0.n: from 10.0.0.1 where they are let in.
const (
	in  = 1
	out = 2
)

func create(who *harness.Actor, params P) *harness.Reply {
	return who.From(in).Do("IP_RULE.CREATE", params)
}

func TestRulesOfTheInstance(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		denied := func(when string, want bool) {
			t.Helper()
			// The other replica learns of a change with its next request, also one that it refuses.
			for _, replica := range []*harness.Service{h, other} {
				calls := map[string]*harness.Reply{
					"anonymous": replica.Anonymous().From(out).Do("AUTH.CHECK_PASSWORD", P{"password": "some password"}),
					"session":   replica.With(alice.AccessToken).From(out).Do("USER.ME", nil),
					"forged":    replica.With("forged").From(out).Do("USER.ME", nil),
					"unknown":   replica.Anonymous().From(out).Do("NO.SUCH", nil),
				}
				for name, reply := range calls {
					if got := reply.Failure != nil && reply.Failure.Code == fault.Denied; got != want {
						t.Errorf("%s, %s: denied is %v (%v), want %v", when, name, got, reply.Failure, want)
					}
				}
			}
		}
		denied("without a rule", false)
		// Mapped addresses are IPv4 ones, and host bits are dropped.
		made := create(root, P{"cidr": "::ffff:10.0.0.3/127", "action": "deny", "note": "A crawler"}).OK()
		rule := made.String("ip_rule.id")
		if made.String("ip_rule.cidr") != "10.0.0.2/31" || made.String("ip_rule.scope") != "instance" {
			t.Errorf("made %v", made.Data)
		}
		denied("with a rule", true)
		create(root, P{"cidr": "10.0.0.2", "action": "allow", "expires_at": h.Clock.Now().Add(time.Minute).Format(time.RFC3339)}).
			Fails(fault.Validation) // whoever calls from elsewhere is locked out by that
		create(root, P{"cidr": "10.0.0.0/8", "action": "allow"}).OK()
		later := h.Clock.Now().Add(time.Minute)
		narrow := create(root, P{"cidr": "10.0.0.2", "action": "allow", "expires_at": later.Format(time.RFC3339Nano)}).OK().String("ip_rule.id")
		denied("with a narrower rule", false)
		h.Clock.Advance(time.Minute)
		other.Clock.Advance(time.Minute)
		denied("after that has expired", true)
		root.From(in).Do("IP_RULE.UPDATE", P{"rule_id": narrow, "expires_at": nil}).OK()
		denied("once it does not expire", false)
		root.From(in).Do("IP_RULE.DELETE", P{"rule_id": narrow}).OK()
		denied("once it is deleted", true)
		root.From(in).Do("IP_RULE.UPDATE", P{"rule_id": rule, "enabled": false}).OK()
		denied("once the denial is switched off", false)
		// One rule that lets some in keeps all others out.
		if got := root.From(in).Do("IP_RULE.CHECK", P{"ip": "192.0.2.1"}).OK(); got.Data["allowed"] != false || got.Data["rule"] != nil {
			t.Errorf("checked %v", got.Data)
		}
		// The instance's rules are for superadmins.
		create(alice, P{"cidr": "10.0.0.0/30", "action": "deny", "scope": "instance"}).Fails(fault.Denied)
		alice.From(in).Do("IP_RULE.LIST", P{"scope": "instance"}).Fails(fault.Denied)
		alice.From(in).Do("IP_RULE.DELETE", P{"rule_id": rule}).Fails(fault.NotFound)
	})
}

func TestRulesOfAWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		team := alice.Do("TEAM.CREATE", P{"name": "Team"}).OK().String("organization.id")
		key := h.With(alice.Do("API_KEY.CREATE", P{"name": "key", "scopes": access.Permissions{"*"}}).OK().String("key"))
		app := alice.Do("APP.REGISTER", P{"name": "App", "slug": "app", "scopes": []string{"users:read"}}).OK().String("api_key")
		token := P{"client_id": "app", "client_secret": app, "scopes": []string{"users:read"}}
		machine := h.With(h.Anonymous().Do("M2M.TOKEN", token).OK().String("access_token"))

		create(alice, P{"cidr": "10.0.0.1/32", "action": "allow"}).OK()
		for name, reply := range map[string]*harness.Reply{
			"a session":         alice.From(out).Do("USER.LIST", nil),
			"org_id":            root.From(out).Do("TEAM.GET", P{"org_id": alice.OrgID}),
			"a key":             key.From(out).Do("USER.ME", nil),
			"a machine":         machine.From(out).Do("USER.LIST", nil),
			"a refresh":         h.Anonymous().From(out).Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}),
			"a machine's token": h.Anonymous().From(out).Do("M2M.TOKEN", token),
		} {
			if reply.Failure == nil || reply.Failure.Code != fault.Denied {
				t.Errorf("%s from outside: %v, want PERMISSION_DENIED", name, reply.Failure)
			}
		}
		alice.From(in).Do("USER.LIST", nil).OK()
		key.From(in).Do("USER.ME", nil).OK()
		machine.From(in).Do("USER.LIST", nil).OK()
		h.Anonymous().From(in).Do("M2M.TOKEN", token).OK()
		h.Anonymous().From(out).Do("M2M.TOKEN", P{"client_id": "app", "client_secret": "sk_live_wrong"}).Fails(fault.Auth)
		// Elsewhere nothing has changed, and there is a way there.
		bob.From(out).Do("USER.LIST", nil).OK()
		alice.From(out).Do("TEAM.GET", P{"org_id": team}).OK()
		alice.From(out).Do("USER.ME", nil).OK()

		// Rules of others are not there; superadmins reach them by their ids.
		theirs := create(bob, P{"cidr": "192.0.2.0/24", "action": "deny"}).OK().String("ip_rule.id")
		alice.From(in).Do("IP_RULE.UPDATE", P{"rule_id": theirs, "enabled": false}).Fails(fault.NotFound)
		root.From(out).Do("IP_RULE.UPDATE", P{"rule_id": theirs, "enabled": false}).OK()
		if got := bob.Do("IP_RULE.CHECK", P{"ip": "192.0.2.9"}).OK(); got.Data["allowed"] != true {
			t.Errorf("checked %v", got.Data)
		}
		alice.From(out).Do("TEAM.SWITCH", P{"org_id": team}).OK()
	})
}

func TestNobodyLocksThemselvesOut(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	soon, later := h.Clock.Now().Add(time.Hour).Format(time.RFC3339), h.Clock.Now().Add(2*time.Hour).Format(time.RFC3339)
	for name, params := range map[string]P{
		"a denial":           {"cidr": "10.0.0.0/8", "action": "deny"},
		"a denial in IPv6":   {"cidr": "::ffff:10.0.0.1", "action": "deny"},
		"only others":        {"cidr": "192.0.2.0/24", "action": "allow"},
		"the past":           {"cidr": "192.0.2.0/24", "action": "deny", "expires_at": "2020-01-01T00:00:00Z"},
		"no range":           {"cidr": "192.0.2.0/33", "action": "deny"},
		"a zone":             {"cidr": "fe80::1%eth0", "action": "deny"},
		"more than IPv4":     {"cidr": "::ffff:0.0.0.0/90", "action": "deny"},
		"a list of no name":  {"cidr": "192.0.2.0/24", "action": "deny", "list": "No Name"},
		"an unknown action":  {"cidr": "192.0.2.0/24", "action": "log"},
		"scope and org_id":   {"cidr": "192.0.2.0/24", "action": "log", "scope": "instance", "org_id": alice.OrgID},
		"no range, but text": {"cidr": "office", "action": "deny"},
	} {
		if reply := create(alice, params); reply.Failure == nil || reply.Failure.Code != fault.Validation {
			t.Errorf("%s: %v", name, reply.Failure)
		}
	}
	mine := create(alice, P{"cidr": "10.0.0.0/8", "action": "allow", "expires_at": soon}).OK().String("ip_rule.id")
	// Once the first has expired this one would keep its maker out.
	create(alice, P{"cidr": "192.0.2.0/24", "action": "allow", "expires_at": later}).Fails(fault.Validation)
	alice.From(in).Do("IP_RULE.UPDATE", P{"rule_id": mine, "expires_at": nil}).OK()
	create(alice, P{"cidr": "192.0.2.0/24", "action": "allow"}).OK()
	create(alice, P{"cidr": "192.0.2.1/24", "action": "deny"}).Fails(fault.Validation).Field("/cidr")
	for command, params := range map[string]P{
		"IP_RULE.DELETE": {}, "IP_RULE.UPDATE": {"enabled": false},
	} {
		params["rule_id"] = mine
		alice.From(in).Do(command, params).Fails(fault.Validation)
		alice.From(in).DryRun().Do(command, params).Fails(fault.Validation)
	}
	alice.From(in).Do("IP_RULE.UPDATE", P{"rule_id": mine, "action": "deny"}).Fails(fault.Validation)
	alice.From(in).Do("IP_RULE.UPDATE", P{"rule_id": mine, "expires_at": soon}).Fails(fault.Validation)
	alice.From(in).Do("USER.LIST", nil).OK()
	if n := len(h.Events("ip_rule.updated")); n != 1 {
		t.Errorf("%d updates told", n)
	}
}

func TestListsDecideNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for i := range 3 {
		create(alice, P{"cidr": fmt.Sprintf("10.%d.0.0/16", i), "action": "allow", "list": "offices"}).OK()
	}
	create(alice, P{"cidr": "10.0.0.1", "action": "deny", "list": "offices"}).OK()
	create(alice, P{"cidr": "10.0.0.0/16", "action": "deny", "list": "spam"}).OK()
	alice.From(in).Do("USER.LIST", nil).OK()
	first := alice.Do("IP_RULE.LIST", P{"list": "offices", "limit": 3}).OK()
	rest := alice.Do("IP_RULE.LIST", P{"list": "offices", "limit": 3, "cursor": first.String("next_cursor")}).OK()
	if len(first.List("items")) != 3 || len(rest.List("items")) != 1 || rest.List("items")[0]["cidr"] != "10.0.0.0/16" {
		t.Errorf("listed %v and %v", first.Data, rest.Data)
	}
	if got := alice.Do("IP_RULE.LIST", P{"action": "deny"}).OK().List("items"); len(got) != 2 {
		t.Errorf("listed %v", got)
	}
	for ip, want := range map[string]bool{"10.0.0.1": false, "::ffff:10.0.0.2": true, "192.0.2.1": false} {
		if got := alice.Do("IP_RULE.CHECK", P{"ip": ip, "list": "offices"}).OK(); got.Data["allowed"] != want {
			t.Errorf("%s: %v", ip, got.Data)
		}
	}
	alice.Do("IP_RULE.CHECK", P{"ip": "10.0.0.0/8"}).Fails(fault.Validation).Field("/ip")
}

// Denied addresses stay denied in the IPv6 forms that embed them.
func TestEmbeddedAddresses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	create(root, P{"cidr": "192.0.2.0/24", "action": "deny"}).OK()
	create(root, P{"cidr": "198.51.100.0/24", "action": "deny", "list": "spam"}).OK()
	for address, want := range map[string]int{
		"192.0.2.7": http.StatusForbidden, "::ffff:192.0.2.7": http.StatusForbidden, "64:ff9b::c000:207": http.StatusForbidden,
		"64:ff9b:1::c000:207": http.StatusForbidden, "2002:c000:207::1": http.StatusForbidden,
		"192.0.3.7": http.StatusOK, "64:ff9b::c000:307": http.StatusOK, "2002:c000:307::1": http.StatusOK, "2001:db8::c000:207": http.StatusOK,
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/execute", strings.NewReader(`{"command":"SYSTEM.INFO_GET"}`))
		r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(address), 4711).String()
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.Handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("a call from %s: %d %s", address, w.Code, w.Body)
		}
		got := root.From(in).Do("IP_RULE.CHECK", P{"ip": address}).OK()
		if got.Data["allowed"] != (want == http.StatusOK) {
			t.Errorf("%s: checked %v", address, got.Data)
		}
	}
	if got := root.From(in).Do("IP_RULE.CHECK", P{"ip": "2002:c633:6407::1", "list": "spam"}).OK(); got.Data["allowed"] != false {
		t.Errorf("checked %v", got.Data)
	}
}

// What is no command keeps out whom the instance keeps out, but for the probe of health.
func TestPagesAndRoutes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	create(root, P{"cidr": "10.0.0.2", "action": "deny"}).OK()
	for _, path := range []string{
		"GET /", "GET /login", "GET /docs", "GET /api/v1/commands", "GET /api/v1/events", "GET /.well-known/jwks.json", "GET /nowhere", "GET /metrics",
		"GET /api/auth/social/google", "GET /api/auth/social/google/callback", "POST /api/v1/execute", "POST /api/m2m/token", "POST /api/m2m/introspect", "GET /health",
	} {
		method, target, _ := strings.Cut(path, " ")
		got := map[int]int{}
		for _, address := range []int{in, out} {
			r := httptest.NewRequest(method, target, strings.NewReader(`{"command":"USER.ME"}`))
			r.RemoteAddr = fmt.Sprintf("10.0.0.%d:4711", address)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.Handler.ServeHTTP(w, r)
			got[address] = w.Code
		}
		if denied := got[out] == http.StatusForbidden; denied != (target != "/health") || got[in] == http.StatusForbidden {
			t.Errorf("%s: %d from outside, %d from inside", path, got[out], got[in])
		}
	}
}
