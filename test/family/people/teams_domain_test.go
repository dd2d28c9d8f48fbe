package people_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

// bound signs somebody up whose address is bound to the account.
func bound(h *harness.Service, email string) *harness.Actor {
	a := h.SignUp(email)
	a.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail(email).Token()}).OK()
	return a
}

// claimed claims a domain with a record in DNS, and returns its id.
func claimed(h *harness.Service, by *harness.Actor, params P) string {
	added := by.Do("TEAM.DOMAIN_ADD", params).OK()
	h.DNS.Publish(added.String("dns_record.name"), "v=spf1 -all", added.String("dns_record.value"))
	return added.String("domain.id")
}

// verifiedDomain is claimed, and verified.
func verifiedDomain(h *harness.Service, by *harness.Actor, params P) string {
	id := claimed(h, by, params)
	by.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}).OK()
	return id
}

// members are the addresses of those in a workspace, in order.
func members(in *harness.Actor) []string {
	var all []string
	for _, one := range in.Do("TEAM.LIST_MEMBERS", nil).OK().List("items") {
		all = append(all, one["email"].(string))
	}
	slices.Sort(all)
	return all
}

func kindsOf(h *harness.Service, kinds ...event.Kind) (counts []int) {
	for _, kind := range kinds {
		counts = append(counts, len(h.Events(kind)))
	}
	return counts
}

func TestClaimADomain(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada := founded(h, "ada@example.com", "Engines")
		added := ada.Do("TEAM.DOMAIN_ADD", P{"domain": " Bücher.Example ", "auto_join": true}).OK()
		id, value := added.String("domain.id"), added.String("dns_record.value")
		if !strings.HasPrefix(id, "dom_") || added.String("domain.domain") != "xn--bcher-kva.example" || added.String("domain.status") != "pending" ||
			added.String("domain.role") != "member" || !added.Bool("domain.auto_join") || added.Bool("domain.require_sso") || added.Has("domain.verified_at") {
			t.Errorf("added %v", added.Data)
		}
		if added.String("dns_record.type") != "TXT" || added.String("dns_record.name") != "_gatehouse-challenge.xn--bcher-kva.example" ||
			!strings.HasPrefix(value, "gatehouse-verification=") || len(value) != len("gatehouse-verification=")+43 {
			t.Errorf("the record is %v", added.Data["dns_record"])
		}
		for domain, words := range map[string]string{
			"BÜCHER.example": "already claimed by this workspace", "gmail.com": "public email provider", "mx.yahoo.co.uk": "public email provider",
			"co.uk": "public suffix", "github.io": "public suffix", strings.Repeat("a123456789.", 21) + "com": "too long",
			"localhost": "not a valid email domain", "exa mple.com": "not a valid email domain", "example.com.": "not a valid email domain", strings.Repeat("a", 64) + ".com": "not a valid email domain", strings.Repeat("a.", 130) + "com": "",
		} {
			if refused := ada.Do("TEAM.DOMAIN_ADD", P{"domain": domain}).Fails(fault.Validation); !strings.Contains(refused.Failure.Message, words) {
				t.Errorf("%s: %s", domain, refused.Failure.Message)
			}
		}
		verify := func() *harness.Reply { return ada.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}) }
		h.DNS.Publish("another.example")
		verify().Fails(fault.Validation)
		h.DNS.Publish(added.String("dns_record.name"), "gatehouse-verification=other")
		verify().Fails(fault.Validation)
		h.DNS.PublishStrings(added.String("dns_record.name"), []string{"v=spf1 -all"}, []string{value[:30], value[30:]})
		done := verify().OK()
		if done.String("domain.status") != "verified" || !done.Has("domain.verified_at") || !done.Has("domain.checked_at") {
			t.Errorf("verified %v", done.Data)
		}
		verify().OK()
		updated := ada.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "auto_join": false, "require_sso": true}).OK()
		if updated.Bool("domain.auto_join") || !updated.Bool("domain.require_sso") || updated.String("domain.status") != "verified" {
			t.Errorf("updated %v", updated.Data)
		}
		ada.Do("TEAM.DOMAIN_ADD", P{"domain": "a.example"}).OK()
		listed := ada.Do("TEAM.DOMAIN_LIST", nil).OK().List("items")
		if len(listed) != 2 || listed[0]["domain"] != "a.example" || listed[1]["id"] != id || listed[1]["dns_record"].(P)["value"] != value {
			t.Errorf("listed %v", listed)
		}
		ada.Do("TEAM.DOMAIN_REMOVE", P{"domain_id": id}).OK()
		for _, command := range []string{"TEAM.DOMAIN_VERIFY", "TEAM.DOMAIN_UPDATE", "TEAM.DOMAIN_REMOVE"} {
			ada.Do(command, P{"domain_id": id}).Fails(fault.NotFound)
		}
		if got := kindsOf(h, maildomain.KindAdded, maildomain.KindVerified, maildomain.KindUpdated, maildomain.KindRemoved); !slices.Equal(got, []int{2, 1, 1, 1}) {
			t.Errorf("events: %v", got)
		}
	})
}

// DNS that is down, fails, is silent or lies verifies nothing, and is told apart from a
// record that is not there.
func TestVerifyAgainstBadDNS(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	id := claimed(h, ada, P{"domain": "engines.example"})
	verify := func() *harness.Reply { return ada.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}) }
	reply := func(change func(m *dnsmessage.Message)) {
		h.DNS.Twist(func(m dnsmessage.Message) []dnsmessage.Message { change(&m); return []dnsmessage.Message{m} })
	}
	reply(func(m *dnsmessage.Message) { m.Answers[1].Header.Name = dnsmessage.MustNewName("other.example.") })
	verify().Fails(fault.Validation)
	reply(func(m *dnsmessage.Message) { m.RCode, m.Answers = dnsmessage.RCodeServerFailure, nil })
	unanswered := func(r *harness.Reply) {
		t.Helper()
		if r.Fails(fault.Internal); !strings.HasPrefix(r.Failure.Message, "DNS did not respond: try again later, request id ") {
			t.Errorf("said %q", r.Failure.Message)
		}
	}
	unanswered(verify())
	unanswered(ada.Idempotent("again").Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}))
	h.DNS.Twist(nil)
	ada.Idempotent("again").Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}).OK()
	h.DNS.Down()
	unanswered(verify())
	if got := ada.Do("TEAM.DOMAIN_LIST", nil).OK().List("items")[0]["status"]; got != "verified" {
		t.Errorf("it is %v while DNS is down", got)
	}
}

// A domain is one workspace's at a time: of two replicas that verify at once, one wins.
func TestADomainIsVerifiedForOneWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		other := harness.On(t, database)
		ada, bob := founded(h, "ada@example.com", "Engines"), founded(h, "bob@example.com", "Motors")
		var records, ids []string
		for _, by := range []*harness.Actor{ada, bob} {
			added := by.Do("TEAM.DOMAIN_ADD", P{"domain": "both.example"}).OK()
			records, ids = append(records, added.String("dns_record.value")), append(ids, added.String("domain.id"))
		}
		h.DNS.Publish("_gatehouse-challenge.both.example", records...)
		replies := harness.Together(2, func(i int) *harness.Reply {
			if i == 0 {
				return ada.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": ids[0]})
			}
			return other.With(bob.AccessToken).Do("TEAM.DOMAIN_VERIFY", P{"domain_id": ids[1]})
		})
		if codes := harness.Codes(replies); codes[""] != 1 || codes[fault.Validation] != 1 {
			t.Fatalf("answered %v", codes)
		}
		winner, loser, won, lost := ada, bob, ids[0], ids[1]
		if replies[0].Failure != nil {
			winner, loser, won, lost = bob, ada, ids[1], ids[0]
		}
		refused := loser.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": lost}).Fails(fault.Validation)
		if !strings.Contains(refused.Failure.Message, "verified for another workspace") {
			t.Errorf("the loser hears %q", refused.Failure.Message)
		}
		winner.Do("TEAM.DOMAIN_REMOVE", P{"domain_id": won}).OK()
		loser.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": lost}).OK()
	})
}

func TestPeopleOfADomainJoin(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada := founded(h, "ada@example.com", "Engines")
		early := bound(h, "early@engines.example")
		h.SignUp("unbound@engines.example")
		ada.Do("ROLE.CREATE", P{"name": "Staff", "permissions": []string{"flows:read"}}).OK()
		id := claimed(h, ada, P{"domain": "engines.example", "auto_join": true, "role": "staff"})
		h.Login("early@engines.example", harness.Password)
		if got := members(ada); len(got) != 1 {
			t.Errorf("before it is verified: %v", got)
		}
		ada.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}).OK()
		// Whoever has the address bound, at login; also into the workspace itself, at once.
		in := teamEntered(h, "early@engines.example", ada.OrgID)
		if in.OrgID != ada.OrgID || !slices.Equal(in.Do("AUTH.WHOAMI", nil).OK().Strings("roles"), []string{"Staff"}) {
			t.Errorf("early entered %s", in.OrgID)
		}
		h.Login("early@engines.example", harness.Password)
		if added := h.Events(workspace.KindMemberAdded); len(added) != 1 || added[0].UserID != early.UserID || added[0].OrgID != ada.OrgID {
			t.Errorf("events %+v", added)
		}
		// Nobody whose address is not bound, or elsewhere, also below the domain.
		h.Login("unbound@engines.example", harness.Password)
		h.Anonymous().Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail("unbound@engines.example").Token()}).OK()
		h.Login("unbound@engines.example", harness.Password)
		bound(h, "x@mail.engines.example")
		bound(h, "x@engines.example.org")
		if refused := h.Anonymous().Do("AUTH.LOGIN", P{"email": "x@engines.example.org", "password": harness.Password, "org_id": ada.OrgID}); refused.Failure == nil {
			t.Error("somebody from elsewhere is let in")
		}
		if got := members(ada); !slices.Equal(got, []string{"ada@example.com", "early@engines.example"}) {
			t.Errorf("members %v", got)
		}
		// At verification.
		late := bound(h, "LATE@Engines.example")
		if got := members(ada); len(got) != 3 {
			t.Errorf("members %v", got)
		}
		// A login that opens nothing makes nobody a member.
		ada.Do("TEAM.MEMBER_REMOVE", P{"user_id": late.UserID}).OK()
		h.Anonymous().Do("AUTH.LOGIN", P{"email": "late@engines.example", "password": "wrong"}).Fails(fault.Auth)
		app := late.EnrollApp()
		challenge := h.Challenge("late@engines.example")
		if got := members(ada); len(got) != 2 {
			t.Errorf("members before the second factor: %v", got)
		}
		h.Clock.Advance(harness.Step)
		h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": challenge, "code": app.Code()}).OK()
		if got := members(ada); len(got) != 3 {
			t.Errorf("members after it: %v", got)
		}
		// Without auto_join, nobody; who joined stays.
		ada.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "auto_join": false}).OK()
		bound(h, "after@engines.example")
		if got := members(ada); len(got) != 3 {
			t.Errorf("members without auto_join: %v", got)
		}
	})
}

// Every way in, and every binding of an address, makes one join.
func TestEveryWayInJoins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	people := map[string]*harness.Actor{}
	for _, name := range []string{"code", "key"} {
		people[name] = bound(h, name+"@engines.example")
	}
	device := people["key"].Passkey()
	guest := bound(h, "host@example.com")
	verifiedDomain(h, ada, P{"domain": "engines.example", "auto_join": true})
	begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "code@engines.example"}).OK()
	h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun.String("challenge_id"), "code": h.MailedCode("code@engines.example")}).OK()
	options := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK().Data["options"].(P)
	h.Anonymous().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": device.Sign(options)}).OK()
	// By an invitation to another workspace, at sign-up and by an account that it binds.
	token, _ := invited(h, guest, "guest@engines.example", "member")
	h.Anonymous().Do("AUTH.SIGNUP", P{"email": "guest@engines.example", "password": harness.Password, "display_name": "Guest", "invitation_token": token}).OK()
	accepting := h.SignUp("accepting@engines.example")
	token, _ = invited(h, guest, "accepting@engines.example", "member")
	accepting.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).OK()
	want := []string{"accepting@engines.example", "ada@example.com", "code@engines.example", "guest@engines.example", "key@engines.example"}
	if got := members(ada); !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
}

// Who joins by their address never gets members:write, by whatever way; and nobody lets
// others join with more than they hold.
func TestWhatPeopleOfADomainMayJoinWith(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root := h.Superadmin()
		ada := founded(h, "ada@example.com", "Engines")
		made := func(name string, inherits []string, permissions ...string) string {
			return ada.Do("ROLE.CREATE", P{"name": name, "permissions": permissions, "inherits": append([]string{}, inherits...)}).OK().String("role.id")
		}
		base := made("Base", nil, "flows:read")
		staff := made("Staff", []string{"Base"}, "members:read")
		made("Mighty", nil, "members:write")
		made("Keeper", nil, "domains:write", "domains:read", "members:read")
		keeper := teamMember(h, root, ada.OrgID, "keeper@example.com", "Keeper")
		for name, code := range map[string]fault.Code{"owner": fault.Validation, "Admin": fault.Validation, "Mighty": fault.Validation, "Nobody": fault.Validation} {
			ada.Do("TEAM.DOMAIN_ADD", P{"domain": "a.example", "role": name}).Fails(code)
		}
		for _, more := range []string{"Staff", "owner", "member"} {
			keeper.Do("TEAM.DOMAIN_ADD", P{"domain": "a.example", "role": more}).Fails(fault.Denied)
		}
		id := verifiedDomain(h, ada, P{"domain": "engines.example", "role": "Staff"})
		keeper.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "role": "Base"}).Fails(fault.Denied)
		keeper.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "auto_join": true}).Fails(fault.Denied) // with the role that it has
		keeper.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "require_sso": true}).OK()
		ada.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "role": "admin"}).Fails(fault.Validation)
		ada.Do("TEAM.DOMAIN_UPDATE", P{"domain_id": id, "auto_join": true}).OK()
		// Widening: of the role itself, of what it inherits, and by what it comes to inherit.
		ada.Do("ROLE.UPDATE", P{"role_id": staff, "permissions": []string{"members:write"}}).Fails(fault.Validation)
		ada.Do("ROLE.UPDATE", P{"role_id": base, "permissions": []string{"members:write"}}).Fails(fault.Validation)
		ada.Do("ROLE.UPDATE", P{"role_id": staff, "inherits": []string{"admin"}}).Fails(fault.Validation)
		ada.Do("ROLE.UPDATE", P{"role_id": base, "permissions": []string{"flows:read", "flows:write"}}).OK()
		// Deleting is a use, and what takes the place is judged too.
		ada.Do("ROLE.DELETE", P{"role_id": staff}).Fails(fault.Validation)
		ada.Do("ROLE.DELETE", P{"role_id": staff, "replace_with": "Mighty"}).Fails(fault.Validation)
		ada.Do("ROLE.DELETE", P{"role_id": base, "replace_with": "Mighty"}).Fails(fault.Validation) // Staff would inherit it
		ada.Do("ROLE.DELETE", P{"role_id": staff, "replace_with": "Base"}).OK()
		if got := ada.Do("TEAM.DOMAIN_LIST", nil).OK().List("items")[0]["role"]; got != "Base" {
			t.Errorf("people join with %v", got)
		}
		// Had it come to grant too much all the same, nobody would join.
		for table, change := range map[string]string{"roles": `permissions = '["members:write"]'`, "workspaces": `rights = rights + 1`} {
			if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE `+table+` SET `+change); err != nil {
				t.Fatal(err)
			}
		}
		bound(h, "late@engines.example")
		if got := members(ada); slices.Contains(got, "late@engines.example") {
			t.Errorf("members %v", got)
		}
	})
}

func TestAWorkspaceClaimsAHundredDomains(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("RATE_LIMIT.SET", P{"command": "*", "key": "token", "limit": 1_000_000, "window_seconds": 60}).OK()
	ada := founded(h, "ada@example.com", "Engines")
	for i := range maildomain.MaxDomains {
		ada.Do("TEAM.DOMAIN_ADD", P{"domain": fmt.Sprintf("d%d.example", i)}).OK()
	}
	ada.Do("TEAM.DOMAIN_ADD", P{"domain": "more.example"}).Fails(fault.Validation)
}
