package machines_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const agent = "https://agent.example/oauth/client.json"

// document describes the client agent; more replaces members.
func document(more P) P {
	d := described(P{
		"client_id": agent, "client_name": "Agent", "redirect_uris": []string{callback}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "contacts": []string{"a@agent.example"},
	})
	for name, value := range more {
		d[name] = value
	}
	return d
}

func documents(h *harness.Service, on bool) {
	h.Superadmin().Do("SETTINGS.SET", P{"values": P{"client_metadata_documents": on}}).OK()
}

// An address that describes a client is its client_id, where the instance takes them: people let
// it in as any other, and only then it is kept.
func TestAddressesOfClients(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, asked := here.SignUp("ada@example.com"), request(P{"client_id": agent, "scope": "openid email users:read"})
		here.Web.Publish(t, agent, document(nil), time.Hour)
		ada.Do("OAUTH.AUTHORIZE", asked).Fails(fault.NotFound)
		documents(here, true)
		opened := ada.Do("OAUTH.AUTHORIZE", asked).OK()
		if opened.String("client.vouched_by") != "document" || opened.String("client.client_id") != agent || len(opened.Strings("scopes")) != 2 {
			t.Errorf("the person is shown %v", opened.Data)
		}
		root := here.Superadmin()
		if got := root.Do("APP.LIST", P{"query": "agent"}).OK().List("items"); len(got) != 0 {
			t.Errorf("before anybody let it in: %v", got)
		}
		pushed := here.Anonymous().Do("OAUTH.REQUEST_PUSH", asked).OK().String("request_uri")
		ada.Do("OAUTH.AUTHORIZE", P{"client_id": agent, "request_uri": pushed}).OK()
		code := answered(t, ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})).Get("code")
		tokens := there.Anonymous().Do("OAUTH.TOKEN", P{
			"grant_type": "authorization_code", "client_id": agent, "code": code, "redirect_uri": callback, "code_verifier": verifier,
		}).OK()
		if got := oauthClaims(t, tokens)["client_id"]; got != agent {
			t.Errorf("client_id = %v", got)
		}
		there.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
		refresh := func() *harness.Reply {
			tokens = there.Anonymous().Do("OAUTH.TOKEN", P{"grant_type": "refresh_token", "client_id": agent, "refresh_token": tokens.String("refresh_token")})
			return tokens
		}
		refresh().OK()
		stored := root.Do("APP.LIST", P{"query": "agent"}).OK().List("items")
		if len(stored) != 1 || stored[0]["origin"] != "document" || stored[0]["slug"] != agent || stored[0]["org_id"] != root.OrgID {
			t.Fatalf("afterwards: %v", stored)
		}
		here.Web.Publish(t, agent, document(P{"client_name": "Renamed"}), 0)
		here.Clock.Advance(time.Hour)
		there.Clock.Advance(time.Hour)
		ada = here.Login("ada@example.com", harness.Password)
		answered(t, ada.Do("OAUTH.AUTHORIZE", asked))
		if got := here.Superadmin().Do("APP.GET", P{"app_id": stored[0]["id"]}); got.String("app.name") != "Renamed" {
			t.Errorf("described anew: %v", got.Data)
		}
		documents(here, false)
		refresh().Fails(fault.Auth)
	})
}

// What is fetched is kept for as long as it says, shared, and bounded; what does not describe
// the client is refused.
func TestDocumentsAreChecked(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		documents(h, true)
		ada := h.SignUp("ada@example.com")
		ask := func(address string) *harness.Reply {
			return ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": address}))
		}
		for what, more := range map[string]P{
			"another client":     {"client_id": "https://agent.example/other.json"},
			"a secret":           {"token_endpoint_auth_method": "client_secret_basic"},
			"no address":         {"redirect_uris": []string{}},
			"an address inwards": {"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://10.0.0.1/jwks"},
			"a long name":        {"client_name": string(make([]byte, 300))},
			"another grant":      {"grant_types": []string{"password"}},
		} {
			h.Web.Publish(t, agent, document(more), time.Hour)
			if got := ask(agent); got.Failure == nil || got.Failure.Code != fault.Validation {
				t.Errorf("%s: %v, %v", what, got.Data, got.Failure)
			}
		}
		ask("https://nobody.example/client.json").Fails(fault.Validation)
		before := h.Web.Fetches()
		for _, address := range []string{"http://agent.example/client.json", "https://agent.example", "https://agent.example/", "https://agent.example/a/../client.json", "https://agent.example/c?x", "https://a@agent.example/c", "https://agent.example/c#x"} {
			ask(address).Fails(fault.NotFound)
		}
		if h.Web.Fetches() != before {
			t.Error("what is no address of a document was fetched")
		}
		h.Web.Publish(t, agent, document(nil), time.Hour)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { ask(agent) })
		}
		all.Wait()
		h.Clock.Advance(time.Hour - 1)
		ada = h.Login("ada@example.com", harness.Password)
		ask(agent).OK()
		if got := h.Web.Fetches() - before; got != 1 {
			t.Errorf("fetched %d times, want 1", got)
		}
		h.Clock.Advance(1)
		ask(agent).OK()
		if got := h.Web.Fetches() - before; got != 2 {
			t.Errorf("fetched %d times, want 2", got)
		}
	})
}

// Made-up addresses count against a limit of whoever sends them: others, and clients that are
// known, go on.
func TestMadeUpAddressesOfClients(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		documents(h, true)
		h.Web.Publish(t, agent, document(nil), time.Hour)
		const other = "https://other.example/client.json"
		h.Web.Publish(t, other, document(P{"client_id": other}), time.Hour)
		ask := func(who *harness.Actor, address string) *harness.Reply {
			return who.Do("OAUTH.AUTHORIZE", request(P{"client_id": address}))
		}
		ada, eve := h.SignUp("ada@example.com").From(1), h.SignUp("eve@example.com").From(2)
		ask(ada, agent).OK()
		for i := range 30 {
			ask(eve, fmt.Sprintf("https://made-up.example/%d", i)).Fails(fault.Validation)
		}
		fetches := h.Web.Fetches()
		if refused := ask(eve, "https://made-up.example/more").Fails(fault.RateLimited); refused.Failure.RetryAfter <= 0 {
			t.Error("no time to wait is given")
		}
		ask(eve, other).Fails(fault.RateLimited)
		if h.Web.Fetches() != fetches {
			t.Error("addresses were fetched beyond the limit")
		}
		ask(eve, agent).OK()
		ask(ada, other).OK()
		for i := range 300 { // from everywhere
			ask(eve.From(3+i%100), fmt.Sprintf("https://made-up.example/%d", i))
		}
		ask(ada, "https://made-up.example/again").Fails(fault.RateLimited)
		h.Web.Publish(t, agent, document(nil), 0)
		ask(ada, agent).OK()
		ask(ada, other).OK()
	})
}

// Two who let a client in at the same time both get in.
func TestTwoLetAnAddressIn(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		documents(here, true)
		here.Web.Publish(t, agent, document(nil), time.Hour)
		var all sync.WaitGroup
		for name, at := range map[string]*harness.Service{"ada@example.com": here, "bob@example.com": there} {
			person := at.SignUp(name)
			opened := person.Do("OAUTH.AUTHORIZE", request(P{"client_id": agent})).OK().String("request_id")
			all.Go(func() { person.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened, "approve": true}).OK() })
		}
		all.Wait()
		if got := here.Events(app.KindRegistered); len(got) != 1 {
			t.Errorf("%d clients were registered, want 1", len(got))
		}
	})
}
