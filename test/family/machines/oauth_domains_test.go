package machines_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/test/harness"
)

// proved has somebody's workspace verify a domain.
func proved(h *harness.Service, by *harness.Actor, domain string) *harness.Reply {
	added := by.Do("TEAM.DOMAIN_ADD", P{"domain": domain}).OK()
	h.DNS.Publish(added.String("dns_record.name"), added.String("dns_record.value"))
	return by.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": added.String("domain.id")}).OK()
}

// A workspace that verifies a domain gets the https audiences under it that others have by
// first use alone, and no others (contract section 3).
func TestAVerifiedDomainTakesAudiencesOver(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, bob := here.SignUp("ada@example.com"), here.SignUp("bob@example.com")
		hers, his := oauthRegister(ada, "hers", nil), oauthRegister(bob, "his", nil)
		tokens := map[string]*harness.Reply{}
		for _, audience := range []string{
			"https://engines.example", "https://API.engines.example:8443/v1", "https://gone.engines.example", "https://kept.engines.example",
			"https://other.example/api.engines.example", "https://engines.example@other.example", "http://engines.example", "https://xengines.example",
		} {
			tokens[audience] = his.ask(here, audience, nil).OK()
		}
		for _, one := range bob.Do("OAUTH.RESOURCE_LIST", nil).List("items") {
			switch one["identifier"] {
			case "https://gone.engines.example":
				bob.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": one["id"]}).OK()
			case "https://kept.engines.example":
				bob.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": one["id"], "name": "Kept"}).OK()
			}
		}
		proved(here, ada, "engines.example")
		for audience, taken := range map[string]bool{
			"https://engines.example": true, "https://API.engines.example:8443/v1": true, "https://kept.engines.example": false,
			"https://other.example/api.engines.example": false, "https://engines.example@other.example": false,
			"http://engines.example": false, "https://xengines.example": false,
		} {
			from, other := his, hers
			if taken {
				from, other = hers, his
			}
			if active(here, tokens[audience]) == taken {
				t.Errorf("%s: the token of who had it is active: %v", audience, !taken)
			}
			from.ask(here, audience, nil).OK()
			refused(t, audience, other.ask(there, audience, nil), "invalid_target")
		}
		create(ada, "https://gone.engines.example", nil).OK()
		if got, lost := len(eventsOf(here, resource.KindUpdated, ada.OrgID)), len(eventsOf(here, resource.KindUpdated, bob.OrgID)); got != 2 || lost != 3 {
			t.Errorf("%d and %d were told of changes, want 2 and, with that of a name, 3", got, lost)
		}
		// From now on nobody else gets new ones under it.
		refused(t, "a first use of another", his.ask(here, "https://new.engines.example", nil), "invalid_target")
		create(bob, "https://new.engines.example", nil).Fails(fault.Validation).Field("/identifier")
		hers.ask(here, "https://new.engines.example", nil).OK()
		// The closest domain decides.
		proved(here, bob, "labs.engines.example")
		his.ask(here, "https://x.labs.engines.example", nil).OK()
		refused(t, "under a closer domain", hers.ask(here, "https://y.labs.engines.example", nil), "invalid_target")
	})
}

// Where audiences must be registered, a workspace does so under its verified domain, as
// long as it has that.
func TestRegisterUnderAVerifiedDomain(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada, bob, root := here.SignUp("ada@example.com"), here.SignUp("bob@example.com"), here.Superadmin()
		hers := oauthRegister(ada, "hers", nil)
		const audience = "https://api.engines.example/v1"
		before := create(ada, "https://before.engines.example", nil).OK()
		root.Do("SETTINGS.SET", P{"values": P{"audiences": "registered"}}).OK()
		create(ada, audience, nil).Fails(fault.Denied)
		domain := proved(here, ada, "engines.example").String("domain.id")
		create(bob, audience, nil).Fails(fault.Denied)
		create(ada, "https://other.example", nil).Fails(fault.Denied)
		create(ada, "http://api.engines.example", nil).Fails(fault.Denied)
		refused(t, "one that nobody registered", hers.ask(here, audience, nil), "invalid_target")
		made := create(ada, audience, nil).OK()
		for _, one := range []string{audience, "https://before.engines.example"} {
			hers.ask(here, one, nil).OK()
			ada.Do("APP.PREVIEW_TOKEN", P{"app_id": hers.id, "audience": one}).OK()
		}
		apps := func(of *harness.Reply) int {
			return len(ada.Do("OAUTH.RESOURCE_GET", P{"resource_id": of.String("resource.id")}).OK().List("apps"))
		}
		if got := []int{apps(made), apps(before)}; got[0] != 1 || got[1] != 1 {
			t.Errorf("%d apps may ask for them", got)
		}
		ada.Do("TEAM.DOMAIN_REMOVE", P{"domain_id": domain}).OK()
		refused(t, "under a domain that was given up", hers.ask(here, audience, nil), "invalid_target")
		if got := apps(made); got != 0 {
			t.Errorf("%d apps may ask for it without the domain", got)
		}
	})
}

// What others claimed under the domain of a workspace leaves it room to register its own.
func TestRoomUnderAVerifiedDomain(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob := h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
	hers := oauthRegister(ada, "hers", nil)
	insert := `INSERT INTO audiences (name, org_id, slug, epoch, version) VALUES (?, ?, FALSE, 0, 1)`
	for i := range resource.MostAudiences {
		if _, err := h.Store.Database().Write.ExecContext(t.Context(), insert, fmt.Sprintf("https://%d.engines.example", i), bob.OrgID); err != nil {
			t.Fatal(err)
		}
	}
	proved(h, ada, "engines.example")
	create(ada, "https://api.engines.example", nil).OK()
	hers.ask(h, "https://more.engines.example", nil).OK()
	refused(t, "elsewhere", hers.ask(h, "https://other.example", nil), "invalid_target")
	create(ada, "https://other.example", nil).Fails(fault.Validation)
}
