package machines_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/adapters/jose"
	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/family/m2m"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	domainm2m "gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/harness"
)

// hesitant lets something happen before a token is stored.
type hesitant struct {
	machines.TokenIssues

	meanwhile func()
}

func (i *hesitant) Issue(ctx context.Context, token domainm2m.Issued, decidedBy []flow.Run, happened ...event.Data) error {
	if i.meanwhile != nil {
		happens := i.meanwhile
		i.meanwhile = nil
		happens()
	}
	return i.TokenIssues.Issue(ctx, token, decidedBy, happened...)
}

// hesitating is M2M.TOKEN, during which something happens after the client was
// authenticated.
func hesitating(t *testing.T, h *harness.Service, params m2m.TokenParams, call command.Call, meanwhile func()) (m2m.TokenResult, error) {
	t.Helper()
	s := &m2m.Service{
		Clients: &client.Authenticator{
			Clients: h.Store.Clients(), JWKS: jose.JOSE{}, Replays: h.Store.Proofs(), LastUses: h.Store.LastUses(),
			Clock: h.Clock, Logger: h.Engine.Logger, Audiences: []string{endpoint},
		},
		Issues: &hesitant{TokenIssues: h.Store.TokenIssues(), meanwhile: meanwhile}, Bindings: machinesstore.BindingDirectory(h.Store),
		Admission: h.Store.Admission(), Access: h.Engine.Access, Proofs: h.Engine.Proofs, Claims: &claims.Service{},
		Audiences: &audience.Rules{Instance: h.Engine.Access.Instance, Issuer: harness.Issuer},
		Clock:     h.Clock, IDs: h.Engine.Access.IDs,
	}
	call.Enter = func(context.Context, workspace.ID) error { return nil }
	for _, d := range s.Commands() {
		if d.Name == "M2M.TOKEN" {
			answer, err := d.Handle(t.Context(), call, params)
			result, _ := answer.(m2m.TokenResult)
			return result, err
		}
	}
	t.Fatal("there is no M2M.TOKEN")
	return m2m.TokenResult{}, nil
}

func paramsOf(m *m2mMachine) m2m.TokenParams {
	return m2m.TokenParams{ClientID: m.slug, ClientSecret: secret.New(m.secret)}
}

// Whatever is done to an app while a token is being issued to it wins: either
// nothing is handed out, or what the app still may have.
func TestTokenLosesToChanges(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner := h.SignUp("ada@example.com")
		for name, test := range map[string]struct {
			change func(m *m2mMachine)
			want   fault.Code // "" for a token that is good
			scope  string
		}{
			"nothing":     {func(*m2mMachine) {}, "", "apps:read audit:read"},
			"rename":      {func(m *m2mMachine) { m.change("APP.UPDATE", P{"name": "Renamed"}) }, "", "apps:read audit:read"},
			"disable":     {func(m *m2mMachine) { m.change("APP.UPDATE", P{"enabled": false}) }, fault.Auth, ""},
			"delete":      {func(m *m2mMachine) { m.change("APP.DELETE", nil) }, fault.Auth, ""},
			"rotate":      {func(m *m2mMachine) { m.change("APP.ROTATE_KEY", nil) }, fault.Auth, ""},
			"overlap":     {func(m *m2mMachine) { m.change("APP.ROTATE_KEY", P{"overlap_hours": 1}) }, "", "apps:read audit:read"},
			"grant":       {func(m *m2mMachine) { m.change("APP.UPDATE", P{"grant_types": []string{"refresh_token"}}) }, fault.Validation, ""},
			"scope":       {func(m *m2mMachine) { m.change("APP.SCOPE_REVOKE", P{"scopes": []string{"audit:read"}}) }, "", "apps:read"},
			"bulk-revoke": {func(m *m2mMachine) { m.change("M2M.BULK_REVOKE", nil) }, "", "apps:read audit:read"},
		} {
			m := m2mRegister(h, owner, name, P{"scopes": []string{"apps:read", "audit:read"}})
			result, err := hesitating(t, h, paramsOf(m), command.Call{}, func() { test.change(m) })
			if test.want != "" {
				if err == nil || fault.From(err).Code != test.want {
					t.Errorf("%s: %v, want %s", name, err, test.want)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := introspect(h, string(result.AccessToken)); !got.Bool("active") || got.String("scope") != test.scope {
				t.Errorf("%s: %v, want scope %q", name, got.Data, test.scope)
			}
		}
	})
}

// So does whatever is done to the audience that a token is being issued for.
func TestTokenLosesToChangesOfTheAudience(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner, root := h.SignUp("ada@example.com"), h.Superadmin()
		m := m2mRegister(h, owner, "worker", P{"scopes": []string{"read", "send"}})
		for name, test := range map[string]struct {
			change func(id any)
			scope  string // "!" for none that is good
		}{
			"nothing": {func(any) {}, "read send"},
			"scopes": {func(id any) {
				owner.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "scopes": []P{{"name": "read"}}}).OK()
			}, "read"},
			"move":   {func(id any) { root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": root.OrgID}).OK() }, "!"},
			"delete": {func(id any) { owner.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": id}).OK() }, "!"},
			"both": {func(id any) {
				for _, org := range []string{root.OrgID, owner.OrgID} {
					root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": org}).OK()
				}
			}, "read send"},
		} {
			audience := "https://" + name + ".example.com"
			id := owner.Do("OAUTH.RESOURCE_CREATE", P{"identifier": audience, "name": name, "scopes": []P{}}).String("resource.id")
			params := paramsOf(m)
			params.Audience = audience
			result, err := hesitating(t, h, params, command.Call{}, func() { test.change(id) })
			switch {
			case test.scope == "!":
				if err == nil || !strings.HasPrefix(fault.From(err).Message, "invalid_target: ") {
					t.Errorf("%s: %v, want invalid_target", name, err)
				}
			case err != nil:
				t.Errorf("%s: %v", name, err)
			default:
				if got := introspect(h, string(result.AccessToken)); !got.Bool("active") || got.String("scope") != test.scope {
					t.Errorf("%s: %v, want scope %q", name, got.Data, test.scope)
				}
			}
		}
	})
}

// A change that makes a call begin anew does not use up what works once.
func TestTokenTriesAgainWithWhatWorksOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	s := &signer{Holder: h.Holder(), h: h}
	m.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	rename := func() { m.change("APP.UPDATE", P{"name": "Renamed"}) }
	asserted := m2m.TokenParams{ClientID: "worker", ClientAssertion: secret.New(s.assertion(nil)), ClientAssertionType: assertionType}
	call := command.Call{Proof: s.Proof("POST", endpoint, ""), Method: "POST", URL: endpoint}
	result, err := hesitating(t, h, asserted, call, rename)
	if err != nil || result.TokenType != "DPoP" {
		t.Fatalf("answer %+v, %v", result, err)
	}
	if _, err := hesitating(t, h, asserted, command.Call{}, nil); err == nil {
		t.Error("the assertion passed another call")
	}
	if _, err := hesitating(t, h, paramsOf(m), call, nil); err == nil {
		t.Error("the proof passed another call")
	}
	if issued(h) != 1 {
		t.Errorf("%d tokens, want 1", issued(h))
	}
}

// Many clients get tokens while their app changes all the time; each call is
// answered with a token, and once the app is disabled none of them is good.
func TestTokensWhileTheAppChanges(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		const clients, each = 6, 5
		m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read"}})
		texts := make(chan string, clients*each)
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for range each {
					got := m.ask(nil)
					if got.Failure != nil {
						t.Error(got.Failure)
						continue
					}
					texts <- got.Data["access_token"].(string)
				}
			})
		}
		for i := range 10 {
			m.change("APP.UPDATE", P{"description": string(rune('a' + i))})
		}
		all.Wait()
		close(texts)
		m.change("APP.UPDATE", P{"enabled": false})
		for text := range texts {
			wantInactive(t, h, text, "token_revoked")
		}
		if issued(h) != clients*each {
			t.Errorf("%d tokens were issued, want %d", issued(h), clients*each)
		}
	})
}

// Tokens that were handed out before all were revoked have ended, those after not.
func TestTokensWhileAllAreRevoked(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 5 {
					if got := m.ask(nil); got.Failure != nil {
						t.Error(got.Failure)
					}
				}
			})
		}
		before := m.token(nil).String("access_token")
		m.change("M2M.BULK_REVOKE", nil)
		wantInactive(t, h, before, "token_revoked")
		after := m.token(nil).String("access_token")
		if !introspect(h, after).Bool("active") {
			t.Error("a token that was issued afterwards is not active")
		}
		all.Wait()
	})
}
