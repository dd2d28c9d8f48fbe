package machines_test

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// watched counts the calls that were admitted from memory, and those of them that were
// admitted again.
type watched struct {
	outbound.Admission

	began, again int
}

func (w *watched) Admit(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	if again := ask.Again; again != nil {
		ask.Again = func(ctx context.Context) (outbound.AdmissionAnswer, error) {
			w.again++
			return again(ctx)
		}
	}
	answer, err := w.Admission.Admit(ctx, ask)
	if answer.Pending != nil {
		w.began++
	}
	return answer, err
}

func (w *watched) held() int { return w.began - w.again }

// neighbor is a machine that always calls from one address.
type neighbor struct{ *m2mMachine }

func (n neighbor) ask(params P) *harness.Reply {
	return n.h.Anonymous().From(7).Do("M2M.TOKEN", with(P{"client_id": n.slug, "client_secret": n.secret}, params))
}

func (n neighbor) token() *harness.Reply { return n.ask(nil).OK() }

// busy is a replica with a client whose calls are admitted from memory, and another
// replica that it knows nothing of.
func busy(t *testing.T) (m neighbor, w *watched, there *harness.Service) {
	t.Helper()
	dsn := harness.Postgres(t)
	here := harness.On(t, dsn)
	there = harness.On(t, dsn)
	w = &watched{Admission: here.Engine.Admission}
	here.Engine.Admission = w
	m = neighbor{m2mRegister(here, here.SignUp("ada@example.com"), "busy", P{"scopes": []string{"apps:read", "audit:read"}})}
	const enough = 10
	for range enough {
		m.token()
	}
	if issued(here) != enough || w.held() == 0 {
		t.Fatalf("%d tokens, of which %d were counted with them", issued(here), w.held())
	}
	return m, w, there
}

// What another replica changes of a busy client holds with its next call.
func TestBusyClientIsNotRememberedForLong(t *testing.T) {
	t.Parallel()
	m, w, there := busy(t)
	owner := there.Login("ada@example.com", harness.Password)
	change := func(command string, params P) *harness.Reply {
		return owner.Do(command, with(P{"app_id": m.id}, params)).OK()
	}
	change("APP.SCOPE_REVOKE", P{"scopes": []string{"audit:read"}})
	if got := m.token().String("scope"); got != "apps:read" {
		t.Errorf("scope %q after one was revoked", got)
	}
	m.token()
	change("APP.SCOPE_GRANT", P{"scopes": []string{"audit:read"}})
	began, again := w.began, w.again
	m.ask(P{"scopes": []string{"audit:read"}}).OK()
	if w.began == began || w.again == again {
		t.Error("the call was not refused from memory at first")
	}
	old := m.secret
	m.secret = change("APP.ROTATE_KEY", nil).String("api_key")
	m.token()
	m.ask(P{"client_secret": old}).Fails(fault.Auth)
	change("APP.UPDATE", P{"enabled": false})
	m.ask(nil).Fails(fault.Auth)
	change("APP.UPDATE", P{"enabled": true})
	before := m.token().String("access_token")
	change("M2M.BULK_REVOKE", nil)
	wantInactive(t, m.h, before, "token_revoked")
	if !introspect(m.h, m.token().String("access_token")).Bool("active") {
		t.Error("a token that was issued after all were revoked is not active")
	}
	change("APP.DELETE", nil)
	began = w.began
	m.ask(nil).Fails(fault.Auth)
	if w.began == began {
		t.Error("the last call was not answered from memory")
	}
}

// The same holds of the audience that it asks for.
func TestBusyAudienceIsNotRememberedForLong(t *testing.T) {
	t.Parallel()
	m, w, there := busy(t)
	const audience = "https://api.example.com"
	ask := func(scopes ...string) *harness.Reply {
		return m.ask(P{"audience": audience, "scopes": append([]string{}, scopes...)})
	}
	root, owner := there.Superadmin(), there.Login("ada@example.com", harness.Password)
	m.change("APP.SCOPE_GRANT", P{"scopes": []string{"read"}})
	for range 5 {
		ask("read").OK()
	}
	held := w.held()
	first := ask("read").OK().String("access_token")
	if w.held() != held+1 {
		t.Error("a call for a known audience was not counted with its token")
	}
	id := owner.Do("OAUTH.RESOURCE_LIST", nil).List("items")[0]["id"]
	owner.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "scopes": []P{{"name": "write"}}}).OK()
	ask("read").Fails(fault.Validation)
	ask().OK()
	root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": root.OrgID}).OK()
	ask().Fails(fault.Validation)
	wantInactive(t, m.h, first, "token_revoked")
	root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": m.owner.OrgID}).OK()
	ask().OK()
	owner.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": id}).OK()
	ask().Fails(fault.Validation)
}

// A busy client's calls count one by one, those with a wrong secret apart, and by the
// limits that another replica sets.
func TestBusyClientIsLimited(t *testing.T) {
	t.Parallel()
	m, w, there := busy(t)
	const most = 30
	there.Superadmin().Do("RATE_LIMIT.SET", P{"command": "M2M.TOKEN", "key": "token", "limit": most, "window_seconds": 60}).OK()
	other := m2mRegister(m.h, m.owner, "other", nil)
	good, held := issued(m.h), w.held()
	wrong := func() *harness.Reply { return m.ask(P{"client_secret": other.secret}) }
	for range most {
		wrong().Fails(fault.Auth)
		if good < most {
			m.token()
			good++
		}
	}
	if w.held() == held {
		t.Error("no call was counted with its token")
	}
	for _, refused := range []*harness.Reply{m.ask(nil), wrong()} {
		if wait := refused.Fails(fault.RateLimited).Failure.RetryAfter; wait <= 0 || wait > time.Minute {
			t.Errorf("told to wait %v", wait)
		}
	}
	if issued(m.h) != good {
		t.Errorf("%d tokens, want %d", issued(m.h), good)
	}
}

// What is proven by the handler alone, or stores nothing that stays, is not admitted from memory.
func TestWhatIsNotAdmittedFromMemory(t *testing.T) {
	t.Parallel()
	m, w, _ := busy(t)
	s := &signer{Holder: m.h.Holder(), h: m.h}
	m.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	m.token()
	before := w.began
	m.ask(P{"client_secret": nil, "client_assertion": s.assertion(P{"iss": m.slug, "sub": m.slug}), "client_assertion_type": assertionType}).OK()
	m.h.Anonymous().From(7).DryRun().Do("M2M.TOKEN", P{"client_id": m.slug, "client_secret": m.secret}).OK()
	if w.began != before {
		t.Errorf("%d calls were admitted from memory", w.began-before)
	}
	m.token()
	if w.began == before {
		t.Error("no call was admitted from memory afterwards")
	}
}
