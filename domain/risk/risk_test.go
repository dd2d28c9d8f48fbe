package risk_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
)

func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

func ip(text string) netip.Addr { return netip.MustParseAddr(text) }

// berlin and sydney are 16,000 km apart, berlin and potsdam 27.
var (
	berlin  = risk.Place{Country: "DE", Located: true, Latitude: 52.52, Longitude: 13.40}
	potsdam = risk.Place{Country: "DE", Located: true, Latitude: 52.39, Longitude: 13.06}
	sydney  = risk.Place{Country: "AU", Located: true, Latitude: -33.87, Longitude: 151.21}
)

// at noon of the last days, from one range and by one client.
func usual(n int) []risk.Login {
	var all []risk.Login
	for i := range n {
		all = append(all, risk.Login{At: noon().AddDate(0, 0, -i-1), IP: ip("192.0.2.7"), Client: "Firefox on Windows", Place: berlin})
	}
	return all
}

// raised are the signals of a situation by the default policy, as name=detail.
func raised(s risk.Situation, h risk.History) string {
	var all []string
	for _, signal := range risk.Assess(s, h, policy.Defaults().Risk).Signals {
		all = append(all, string(signal.Name)+"="+signal.Detail)
	}
	return strings.Join(all, "; ")
}

func TestEachSignal(t *testing.T) {
	t.Parallel()
	began, other := "Firefox on Windows", "Chrome on Linux"
	known := risk.History{UsedBefore: true, KnownClient: true, Logins: usual(12)}
	here := risk.Situation{At: noon(), IP: ip("192.0.2.200"), Place: potsdam, Client: began, EmailDomain: "example.com"}
	for name, c := range map[string]struct {
		change func(*risk.Situation, *risk.History)
		want   string
	}{
		"nothing new":                   {func(*risk.Situation, *risk.History) {}, ""},
		"no history":                    {func(s *risk.Situation, h *risk.History) { *h, s.Place = risk.History{}, sydney }, ""},
		"another client":                {func(s *risk.Situation, h *risk.History) { s.Client, h.KnownClient = other, false }, "new_device=Chrome on Linux"},
		"a silent client":               {func(s *risk.Situation, h *risk.History) { s.Client, h.KnownClient = "", false }, "new_device=a browser or app that says nothing of itself"},
		"another range":                 {func(s *risk.Situation, _ *risk.History) { s.IP = ip("192.0.3.7") }, "new_range=192.0.3.0/24"},
		"a mapped address":              {func(s *risk.Situation, _ *risk.History) { s.IP = ip("::ffff:192.0.2.9") }, ""},
		"another range of IPv6":         {func(s *risk.Situation, _ *risk.History) { s.IP = ip("2001:db8:7:1::1") }, "new_range=2001:db8:7::/48"},
		"no address":                    {func(s *risk.Situation, _ *risk.History) { s.IP = netip.Addr{} }, ""},
		"another country, in a week":    {func(s *risk.Situation, h *risk.History) { s.Place = sydney; h.Logins = h.Logins[6:] }, "new_country=AU"},
		"another country, next day":     {func(s *risk.Situation, _ *risk.History) { s.Place = sydney }, "new_country=AU"},
		"too fast":                      {func(s *risk.Situation, h *risk.History) { s.Place = sydney; h.Logins[0].At = noon().Add(-time.Hour) }, "new_country=AU; impossible_travel=16094 km in 60 minutes"},
		"no country":                    {func(s *risk.Situation, _ *risk.History) { s.Place = risk.Place{} }, ""},
		"two failures":                  {func(_ *risk.Situation, h *risk.History) { h.Failures = 2 }, ""},
		"three failures":                {func(_ *risk.Situation, h *risk.History) { h.Failures = 3 }, "account_failures=3 failed logins"},
		"nine accounts":                 {func(_ *risk.Situation, h *risk.History) { h.AddressAccounts = 9 }, ""},
		"ten accounts":                  {func(_ *risk.Situation, h *risk.History) { h.AddressAccounts = 10 }, "address_accounts=10 accounts"},
		"a common password":             {func(s *risk.Situation, _ *risk.History) { s.CommonPassword = true }, "common_password=a common password"},
		"a session in the same browser": {func(s *risk.Situation, _ *risk.History) { s.BegunWith = &began }, ""},
		"a session in another":          {func(s *risk.Situation, _ *risk.History) { s.BegunWith = &other }, "user_agent_change=Chrome on Linux, now Firefox on Windows"},
		"three hours later":             {func(s *risk.Situation, _ *risk.History) { s.At = noon().Add(3 * time.Hour) }, ""},
		"at night":                      {func(s *risk.Situation, _ *risk.History) { s.At = noon().Add(10 * time.Hour) }, "unusual_hour=22:00 UTC"},
		"at night, with few logins":     {func(s *risk.Situation, h *risk.History) { s.At, h.Logins = noon().Add(10*time.Hour), usual(9) }, ""},
		"a disposable domain":           {func(s *risk.Situation, _ *risk.History) { s.EmailDomain = "mailinator.com" }, "disposable_domain=mailinator.com"},
		"a domain below one":            {func(s *risk.Situation, _ *risk.History) { s.EmailDomain = "x.mailinator.com" }, "disposable_domain=x.mailinator.com"},
		"a list":                        {func(s *risk.Situation, _ *risk.History) { s.Lists = []iprule.List{"tor", "vpn"} }, "listed_address=tor, vpn"},
	} {
		s, h := here, known
		h.Logins = usual(12)
		c.change(&s, &h)
		if got := raised(s, h); got != c.want {
			t.Errorf("%s: raised %q, want %q", name, got, c.want)
		}
	}
}

// Midnight parts no two hours of the day.
func TestHoursGoRound(t *testing.T) {
	t.Parallel()
	h := risk.History{UsedBefore: true, KnownClient: true}
	for i := range 10 {
		h.Logins = append(h.Logins, risk.Login{At: time.Date(2026, 11, 10+i, 23, 30, 0, 0, time.UTC), IP: ip("192.0.2.7")})
	}
	for hour, want := range map[int]string{1: "", 3: "unusual_hour=03:00 UTC", 22: ""} {
		s := risk.Situation{At: time.Date(2026, 11, 23, hour, 0, 0, 0, time.UTC), IP: ip("192.0.2.7")}
		if got := raised(s, h); got != want {
			t.Errorf("at %d: %q, want %q", hour, got, want)
		}
	}
}

// What a person denied is usual no more, and weighs twice for 30 days.
func TestDenied(t *testing.T) {
	t.Parallel()
	h := risk.History{UsedBefore: true, Logins: usual(1), Denied: []risk.Denial{{At: noon(), IP: ip("192.0.2.99")}}}
	s := risk.Situation{At: noon().Add(time.Hour), IP: ip("192.0.2.200"), Client: "Chrome on Linux"}
	rules := policy.Defaults().Risk
	want := []risk.Signal{{Name: risk.NewDevice, Weight: 40, Detail: "Chrome on Linux"}, {Name: risk.NewRange, Weight: 30, Detail: "192.0.2.0/24"}}
	if got := risk.Assess(s, h, rules); got.Score != 70 || got.Level != risk.High || !reflect.DeepEqual(got.Signals, want) {
		t.Errorf("lately: %+v", got)
	}
	s.At = noon().AddDate(0, 0, 30)
	if got := risk.Assess(s, h, rules); got.Score != 35 || got.Level != risk.Medium {
		t.Errorf("after 30 days: %+v", got)
	}
	s.IP = ip("198.51.100.7")
	s.At = noon()
	if got := risk.Assess(s, h, rules); got.Score != 35 {
		t.Errorf("from elsewhere: %+v", got)
	}
}

// The sum ends at 100, a weight of 0 switches a signal off, and the scores part the levels.
func TestScores(t *testing.T) {
	t.Parallel()
	began := "curl"
	s := risk.Situation{
		At: noon(), IP: ip("198.51.100.7"), Place: sydney, Client: "Chrome", EmailDomain: "mailinator.com",
		CommonPassword: true, BegunWith: &began, Lists: []iprule.List{"tor"},
	}
	h := risk.History{UsedBefore: true, Logins: usual(1), Failures: 9, AddressAccounts: 99}
	h.Logins[0].At = noon().Add(-time.Minute)
	rules := policy.Defaults().Risk
	all := risk.Assess(s, h, rules)
	if all.Score != 100 || all.Level != risk.High || len(all.Signals) != len(risk.Signals())-1 {
		t.Errorf("all but the hour: %+v", all)
	}
	if again := risk.Assess(s, h, rules); !reflect.DeepEqual(all, again) {
		t.Error("one situation has two scores")
	}
	for weight, want := range map[int]risk.Level{0: risk.Low, 29: risk.Low, 30: risk.Medium, 69: risk.Medium, 70: risk.High, 100: risk.High} {
		only := policy.Risk{AccountFailures: weight, Medium: 30, High: 70}
		if got := risk.Assess(s, h, only); got.Score != weight || got.Level != want || (weight == 0) != (len(got.Signals) == 0) {
			t.Errorf("a weight of %d: %+v", weight, got)
		}
	}
	if got := all.Weighed(policy.Risk{ListedAddress: 7, UnusualHour: 50}); got != 7 {
		t.Errorf("weighed anew: %d", got)
	}
}

// Each signal of the policy has one place in the table, and a weight there that counts.
func TestTheTableIsThePolicy(t *testing.T) {
	t.Parallel()
	of := reflect.TypeFor[policy.Risk]()
	weights := map[string]int{}
	for i := range of.NumField() {
		if f := of.Field(i); f.Type.Kind() == reflect.Int && f.Name != "Medium" && f.Name != "High" {
			weights[f.Tag.Get("json")] = i
		}
	}
	for _, signal := range risk.Signals() {
		var rules policy.Risk
		place, known := weights[string(signal.Name)]
		if !known {
			t.Errorf("the policy has no weight of %s", signal.Name)
			continue
		}
		reflect.ValueOf(&rules).Elem().Field(place).SetInt(7)
		if signal.Weight(rules) != 7 || rules.Idle() || !strings.HasSuffix(signal.Means, ".") {
			t.Errorf("%s weighs %d and means %q", signal.Name, signal.Weight(rules), signal.Means)
		}
		delete(weights, string(signal.Name))
	}
	if len(weights) > 0 || !(policy.Risk{Medium: 30, High: 70}).Idle() {
		t.Errorf("without a signal: %v", weights)
	}
}

func TestLately(t *testing.T) {
	t.Parallel()
	h := risk.History{Logins: []risk.Login{
		{At: noon(), IP: ip("192.0.2.1")},
		{At: noon().Add(-time.Hour), IP: ip("192.0.2.2")},
		{At: noon().Add(-2 * time.Hour), IP: ip("192.0.2.1")},
		{At: noon().Add(-24 * time.Hour), IP: ip("192.0.2.3")},
	}}
	if logins, addresses := h.Lately(noon()); logins != 3 || addresses != 2 {
		t.Errorf("%d logins from %d addresses", logins, addresses)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	a := risk.Make(risk.Snapshot{ID: "ras_1", UserID: "usr_1", OrgID: "org_1"})
	if !a.Judge(risk.NotMine, 1, noon()) || a.Judge(risk.NotMine, 0, noon()) || !a.Judge(risk.Mine, 0, noon().Add(1)) {
		t.Error("what is news is none")
	}
	want := []any{risk.FeedbackSubmitted{"ras_1", "usr_1", "org_1", risk.NotMine, 1}, risk.FeedbackSubmitted{"ras_1", "usr_1", "org_1", risk.Mine, 0}}
	var got []any
	for _, e := range a.Stored() {
		got = append(got, e)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || a.Snapshot().VerdictAt != noon().Add(1) {
		t.Errorf("raised %v", got)
	}
}

func BenchmarkAssess(b *testing.B) {
	h := risk.History{UsedBefore: true, Logins: usual(risk.MostLogins)}
	s := risk.Situation{At: noon(), IP: ip("198.51.100.7"), Place: sydney, Client: "Chrome", EmailDomain: "example.com"}
	for b.Loop() {
		risk.Assess(s, h, policy.Defaults().Risk)
	}
}
