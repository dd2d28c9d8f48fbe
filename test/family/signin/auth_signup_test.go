package signin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

func signup(h *harness.Service, email, password, name string) *harness.Reply {
	return h.Anonymous().Do("AUTH.SIGNUP", P{"email": email, "password": password, "display_name": name})
}

func TestAuthSignup(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r := signup(h, " Ada@B\u00dcCHER.example ", harness.Password, "Ada").OK()
	if got := keys(r.Data); got != "access_token expires_in organization refresh_token token_type user" {
		t.Errorf("data has %s", got)
	}
	if r.String("user.email") != "Ada@xn--bcher-kva.example" || r.String("user.display_name") != "Ada" || r.String("user.status") != "active" ||
		r.Bool("user.is_superadmin") || r.Bool("user.email_verified") || !r.Bool("organization.personal") || r.String("organization.name") == "" {
		t.Errorf("data = %v", r.Data)
	}
	ada := h.With(r.String("access_token"))
	who := ada.Do("AUTH.WHOAMI", nil).OK()
	if who.String("subject") != r.String("user.id") || who.String("org_id") != r.String("organization.id") {
		t.Errorf("whoami = %v", who.Data)
	}
	same(t, "roles", who.Strings("roles"), []string{"owner"})
	refresh(h, r.String("refresh_token")).OK()
	for _, kind := range []event.Kind{user.KindCreated, workspace.KindCreated, session.KindCreated} {
		stored := slices.DeleteFunc(h.Events(kind), func(e event.Record) bool { return e.Origin.ActorKind == "system" })
		if len(stored) != 1 || stored[0].Origin.ActorKind != "anonymous" || stored[0].Origin.Command != "AUTH.SIGNUP" {
			t.Errorf("%s: %+v", kind, stored)
		}
		if text := string(stored[0].Data); strings.Contains(text, "xn--") || strings.Contains(text, "Ada") {
			t.Errorf("%s holds personal data: %s", kind, text)
		}
	}
}

// One mailbox is one account, however its address is spelled.
func TestOneAccountPerAddress(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("Stra\u00dfe@b\u00fccher.example")
	before := len(h.Events(""))
	for _, spelled := range []string{
		"Stra\u00dfe@b\u00fccher.example", "stra\u00dfe@B\u00dcCHER.EXAMPLE", "STRA\u00dfE@xn--bcher-kva.example",
		" stra\u00dfe@bu\u0308cher.example\t", "stra\u00dfe@b\u00fccher\u3002example",
	} {
		r := signup(h, spelled, harness.Password, "Twin").Fails(fault.Validation)
		if !strings.Contains(r.Failure.Message, "registered") && !strings.Contains(r.Failure.Message, "taken") {
			t.Errorf("%q: message = %q", spelled, r.Failure.Message)
		}
		h.Anonymous().DryRun().Do("AUTH.SIGNUP", P{"email": spelled, "password": harness.Password, "display_name": "Twin"}).Fails(fault.Validation)
	}
	if after := len(h.Events("")); after != before {
		t.Errorf("%d events of refused sign-ups", after-before)
	}
	signup(h, "stra.\u00dfe@b\u00fccher.example", harness.Password, "Dots are kept").OK()
}

func TestParallelSignups(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		replies := harness.Together(50, func(i int) *harness.Reply {
			spelled := []string{"alice@example.com", "ALICE@example.com", "Alice@Example.COM"}[i%3]
			return signup([]*harness.Service{here, there}[i%2], spelled, harness.Password, fmt.Sprintf("Alice %d", i))
		})
		if got := harness.Codes(replies); got[""] != 1 || got[fault.Validation] != 49 {
			t.Errorf("50 sign-ups = %v", got)
		}
		mine := slices.DeleteFunc(here.Events(user.KindCreated), func(e event.Record) bool { return e.Origin.ActorKind == "system" })
		if len(mine) != 1 || len(here.Events(session.KindCreated)) != 1 {
			t.Errorf("%d accounts and %d sessions, want 1 and 1", len(mine), len(here.Events(session.KindCreated)))
		}
	})
}

// Closed is closed before anything is told about the address, the password, or
// to other replicas.
func TestClosedRegistration(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here, there := harness.On(t, dsn), harness.On(t, dsn)
	here.SignUp(authAddress)
	root := here.Superadmin()
	root.Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
	for _, email := range []string{authAddress, "new@example.com"} {
		for _, password := range []string{harness.Password, "password"} {
			signup(there, email, password, "New").Fails(fault.Denied)
		}
	}
	there.Anonymous().DryRun().Do("AUTH.SIGNUP", P{"email": "new@example.com", "password": harness.Password, "display_name": "x"}).Fails(fault.Denied)
	login(there, authAddress, harness.Password).OK()
	root.Do("SETTINGS.SET", P{"values": P{"public_registration": true}}).OK()
	signup(there, "new@example.com", harness.Password, "New").OK()

	closed := harness.On(t, harness.SQLite(t), "ENABLE_PUBLIC_REGISTRATION=false")
	signup(closed, "new@example.com", harness.Password, "New").Fails(fault.Denied)
}

func TestPasswordsOfSignups(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for password, why := range map[string]string{
		"short": "", strings.Repeat("x", 257): "", "": "",
		"password": "common", "12345678": "common", "PASSWORD": "common",
		"quinn.ada@example.com": "own email", "QUINN.ADA@EXAMPLE.COM": "own email", " Quinn.Ada": "own email", "Ada Quinnley": "name",
		"u\u0308u\u0308u\u0308u\u0308": "short", // eight code points, four characters
	} {
		r := signup(h, "quinn.ada@example.com", password, "Ada Quinnley").Fails(fault.Validation).Field("/password")
		if !strings.Contains(r.Failure.Message, why) || len(password) > 8 && strings.Contains(r.Failure.Message, password) {
			t.Errorf("%q: message = %q", password, r.Failure.Message)
		}
	}
	for i, password := range []string{"eightchr9", strings.Repeat("\u65e5\u672c\U0001f511!", 64), "        spaces        "} {
		email := fmt.Sprintf("p%d@example.com", i)
		signup(h, email, password, "Somebody Else").OK()
		login(h, email, password).OK()
		login(h, email, "something else").Fails(fault.Auth)
	}
	h.Superadmin().Do("POLICY.SET", P{"kind": "password", "values": P{"min_length": 12}}).OK()
	signup(h, "p9@example.com", "eleven char", "Somebody").Fails(fault.Validation).Field("/password")
	signup(h, "p9@example.com", "twelve chars", "Somebody").OK()
}

func TestAuthSignupParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	good := func() P { return P{"email": authAddress, "password": harness.Password, "display_name": "Alice"} }
	for path, value := range map[string]any{
		"/email": "a@b, c@d.example", "/password": nil, "/display_name": "", "/is_superadmin": true, "/email_verified": true,
		"/roles": []string{"owner"}, "/org_id": nowhere, "/user_id": authNobody, "/invitation_token": "", "/metadata_json": P{},
	} {
		params := good()
		params[path[1:]] = value
		h.Anonymous().Do("AUTH.SIGNUP", params).Fails(fault.Validation).Field(path)
	}
	for _, email := range []string{"alice", "@example.com", "alice@", "a b@example.com", "<alice@example.com>", "a@b@example.com", "alice@example.com\n.evil", "alice\uff20example.com", strings.Repeat("a", 250) + "@example.com"} {
		signup(h, email, harness.Password, "Alice").Fails(fault.Validation).Field("/email")
	}
}
