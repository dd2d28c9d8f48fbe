package iprule_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/iprule"
)

// kinds returns the kinds of the events that were raised, each of which is in the catalog.
func kinds(t *testing.T, r *iprule.Rule) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range r.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(iprule.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

// made returns a new rule whose events are stored.
func made(t *testing.T) *iprule.Rule {
	t.Helper()
	s := rules("-192.0.2.0/24")[0]
	s.Enabled = false // a new one is switched on, whatever is handed in
	r, err := iprule.Make(s, noon())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(t, r), []event.Kind{iprule.KindCreated}; !slices.Equal(got, want) {
		t.Fatalf("events of a new rule: got %v, want %v", got, want)
	}
	return r
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	for end, want := range map[time.Time]error{
		{}: nil, noon().Add(1): nil, noon(): iprule.ErrPast, noon().Add(-1): iprule.ErrPast,
	} {
		s := rules("-192.0.2.0/24")[0]
		s.ExpiresAt = end
		if _, err := iprule.Make(s, noon()); !errors.Is(err, want) {
			t.Errorf("Make() until %v = %v, want %v", end, err, want)
		}
		r := made(t)
		if err := r.Update(iprule.Change{ExpiresAt: &end}, noon()); !errors.Is(err, want) || want != nil && r.Changed() {
			t.Errorf("Update() until %v = %v, changed %v, want %v", end, err, r.Changed(), want)
		}
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		enabled bool
		end     time.Time
		want    bool
	}{
		{true, time.Time{}, true},
		{true, noon().Add(1), true},
		{true, noon(), false},
		{false, time.Time{}, false},
		{false, noon().Add(1), false},
	} {
		if got := (iprule.Snapshot{Enabled: c.enabled, ExpiresAt: c.end}).Live(noon()); got != c.want {
			t.Errorf("Live() while enabled is %v, until %v = %v, want %v", c.enabled, c.end, got, c.want)
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	allow, deny, yes, no := iprule.Allow, iprule.Deny, true, false
	note, empty, end, never := "n", "", noon().Add(time.Hour), time.Time{}
	for name, c := range map[string]struct {
		change  iprule.Change
		changed []string
	}{
		"nothing":    {iprule.Change{}, nil},
		"the same":   {iprule.Change{Action: &deny, Note: &empty, Enabled: &yes, ExpiresAt: &never}, nil},
		"everything": {iprule.Change{Action: &allow, Note: &note, Enabled: &no, ExpiresAt: &end}, []string{"action", "note", "enabled", "expires_at"}},
		"one":        {iprule.Change{Enabled: &no}, []string{"enabled"}},
	} {
		r, later := made(t), noon().Add(time.Minute)
		if err := r.Update(c.change, later); err != nil {
			t.Errorf("%s: Update() = %v, want nil", name, err)
		}
		if got, want := r.Snapshot().UpdatedAt.Equal(later), c.changed != nil; got != want {
			t.Errorf("%s: UpdatedAt moved: got %v, want %v", name, got, want)
		}
		var got []string
		for _, data := range r.Stored() {
			if updated, is := data.(iprule.Updated); is {
				got = append(got, updated.Changed...)
			}
		}
		if !slices.Equal(got, c.changed) {
			t.Errorf("%s: got changed %v, want %v", name, got, c.changed)
		}
	}
	r := iprule.Restore(made(t).Snapshot(), 1)
	r.Delete()
	if got, want := kinds(t, r), []event.Kind{iprule.KindDeleted}; !slices.Equal(got, want) {
		t.Errorf("events of a deletion: got %v, want %v", got, want)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	for org, want := range map[string]iprule.Scope{"": iprule.OfInstance, "org_1": iprule.OfWorkspace} {
		s := iprule.Snapshot{}
		if org != "" {
			s.OrgID = "org_1"
		}
		if got := s.Scope(); got != want {
			t.Errorf("Scope() of %q = %s, want %s", org, got, want)
		}
	}
}

// A range has one form, whatever it is written as, so that there is one rule for it.
func TestParseCIDR(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7":             "192.0.2.7/32",
		"192.0.2.7/24":          "192.0.2.0/24",
		"0.0.0.0/0":             "0.0.0.0/0",
		"2001:DB8::1":           "2001:db8::1/128",
		"2001:db8::1/32":        "2001:db8::/32",
		"::/0":                  "::/0",
		"::ffff:192.0.2.7":      "192.0.2.7/32",
		"::ffff:192.0.2.7/120":  "192.0.2.0/24",
		"::ffff:0:0/96":         "0.0.0.0/0",
		"::ffff:192.0.2.7/95":   "",
		"fe80::1%eth0":          "",
		"fe80::1%eth0/64":       "",
		"192.0.2.7/33":          "",
		"2001:db8::/129":        "",
		"192.0.2.7/-1":          "",
		"192.0.2.7/024":         "",
		"192.0.2":               "",
		"192.0.2.07":            "",
		"example.com":           "",
		"":                      "",
		" 192.0.2.7":            "",
		"192.0.2.0/24,10.0.0.0": "",
	} {
		got, err := iprule.ParseCIDR("/cidr", text)
		if want == "" {
			checkRefusal(t, "ParseCIDR("+text+")", err, "/cidr")
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("ParseCIDR(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:DB8::1": "2001:db8::1",
		"fe80::1%eth0": "", "192.0.2.7/32": "", "": "", "localhost": "",
	} {
		got, err := iprule.ParseAddress("/address", text)
		if want == "" {
			checkRefusal(t, "ParseAddress("+text+")", err, "/address")
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("ParseAddress(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
	zoned := netip.MustParseAddr("fe80::1%eth0")
	if got, want := iprule.Plain(zoned).String(), "fe80::1"; got != want {
		t.Errorf("Plain(%s) = %s, want %s", zoned, got, want)
	}
}

// checkRefusal checks that an error is a complaint about one parameter.
func checkRefusal(t *testing.T, what string, err error, path string) {
	t.Helper()
	refusal, is := errors.AsType[*fault.Error](err)
	if !is || refusal.Code != fault.Validation || len(refusal.Fields) != 1 || refusal.Fields[0].Path != path {
		t.Errorf("%s = %v, want a validation error of %s", what, err, path)
	}
}
