package people_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/test/harness"
)

func TestDomainIsCheckedDaily(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		other := harness.On(t, database)
		root := h.Superadmin()
		ada := founded(h, "ada@example.com", "Engines")
		teamMember(h, root, ada.OrgID, "grace@example.com", "owner")
		teamMember(h, root, ada.OrgID, "eve@example.com", "admin")
		added := ada.Do("TEAM.DOMAIN_ADD", P{"domain": "engines.example", "auto_join": true}).OK()
		id, name, value := added.String("domain.id"), added.String("dns_record.name"), added.String("dns_record.value")
		h.DNS.Publish(name, value)
		ada.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}).OK()
		asked := func() int { return len(h.DNS.Asked()) }
		days := func(n int) {
			for range n {
				h.Clock.Advance(24 * time.Hour)
				other.Clock.Advance(24 * time.Hour)
				before := asked()
				harness.Together(2, func(i int) *harness.Reply {
					[]*harness.Service{h, other}[i].WatchDomains()
					return &harness.Reply{}
				})
				if asked()-before != 1 {
					t.Errorf("DNS was asked %d times a day", asked()-before)
				}
			}
		}
		h.WatchDomains()
		if asked() != 1 {
			t.Errorf("DNS was asked %d times at first", asked())
		}
		status := func() P {
			return teamEntered(h, "ada@example.com", ada.OrgID).Do("TEAM.DOMAIN_LIST", nil).OK().List("items")[0]
		}
		letters := func(to string) (n int) {
			h.DeliverMail()
			for _, one := range h.Mail(to) {
				if strings.Contains(one.Subject, "engines.example") {
					n++
				}
			}
			return n
		}
		days(2)
		if got := status(); got["missing_since"] != nil || letters("ada@example.com") != 0 {
			t.Errorf("it is there, and yet %v", got)
		}
		h.DNS.Publish(name)
		days(1)
		if got := status(); got["status"] != "verified" || got["missing_since"] == nil || got["lost_at"] == nil {
			t.Errorf("after the first miss: %v", got)
		}
		days(2)
		h.DNS.Publish(name, value)
		days(1)
		if got := status(); got["missing_since"] != nil {
			t.Errorf("once it is back: %v", got)
		}
		h.DNS.Publish(name)
		days(7)
		if got := status(); got["status"] != "verified" {
			t.Errorf("after the seventh miss: %v", got)
		}
		days(1)
		if got := status(); got["status"] != "pending" || got["missing_since"] != nil || len(h.Events(maildomain.KindLost)) != 1 {
			t.Errorf("after seven days: %v", got)
		}
		for to, want := range map[string]int{"ada@example.com": 2, "grace@example.com": 2, "eve@example.com": 0} {
			if got := letters(to); got != want {
				t.Errorf("%s got %d mails, want %d", to, got, want)
			}
		}
		if text := h.LastMail("grace@example.com").Text; !strings.Contains(text, value) || !strings.Contains(text, name) {
			t.Errorf("mailed %s", text)
		}
		bound(h, "late@engines.example")
		if got := members(teamEntered(h, "ada@example.com", ada.OrgID)); len(got) != 3 {
			t.Errorf("members of a lost domain: %v", got)
		}
		// It is not looked at any more, and is verified anew by the same record.
		before := asked()
		h.Clock.Advance(48 * time.Hour)
		h.WatchDomains()
		if asked() != before {
			t.Error("a lost domain is looked at")
		}
		h.DNS.Publish(name, value)
		teamEntered(h, "ada@example.com", ada.OrgID).Do("TEAM.DOMAIN_VERIFY", P{"domain_id": id}).OK()
	})
}

// Where nobody answers, no day counts as a miss, and the next look is within the hour.
func TestDNSOutageKeepsDomainsVerified(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	verifiedDomain(h, ada, P{"domain": "engines.example"})
	h.DNS.Twist(func(m dnsmessage.Message) []dnsmessage.Message {
		m.RCode, m.Answers = dnsmessage.RCodeServerFailure, nil
		return []dnsmessage.Message{m}
	})
	for range 10 {
		h.Clock.Advance(24 * time.Hour)
		h.WatchDomains()
	}
	shown := teamEntered(h, "ada@example.com", ada.OrgID).Do("TEAM.DOMAIN_LIST", nil).OK().List("items")[0]
	if shown["status"] != "verified" || shown["missing_since"] != nil {
		t.Errorf("after ten days without an answer: %v", shown)
	}
	before := len(h.DNS.Asked())
	h.DNS.Twist(nil)
	h.Clock.Advance(time.Hour)
	h.WatchDomains()
	if len(h.DNS.Asked()) != before+1 {
		t.Error("it is not asked again within the hour")
	}
}

// A replica that died while it looked leaves the domain to others when its lease ends.
func TestDomainCheckContinuesAfterReplicaDies(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	verifiedDomain(h, ada, P{"domain": "engines.example"})
	h.Clock.Advance(24 * time.Hour)
	if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE mail_domains SET check_at = check_at + 300000000`); err != nil { // as a claim does
		t.Fatal(err)
	}
	before := len(h.DNS.Asked())
	h.WatchDomains()
	if len(h.DNS.Asked()) != before {
		t.Error("it is looked at under another's lease")
	}
	h.Clock.Advance(5 * time.Minute)
	h.WatchDomains()
	if len(h.DNS.Asked()) != before+1 {
		t.Error("it is not looked at when the lease ends")
	}
}
