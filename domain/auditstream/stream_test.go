package auditstream_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

func wanted(kind auditstream.Kind) auditstream.Snapshot {
	return auditstream.Snapshot{
		ID: "ast_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh", Name: "siem", Kind: kind,
		URL: "https://siem.example.com/collect", Secret: "a token", Progress: auditstream.Progress{Position: 7},
	}
}

// opened returns a new stream whose events are stored.
func opened(t *testing.T, kind auditstream.Kind) *auditstream.Stream {
	t.Helper()
	a, err := auditstream.Open(wanted(kind), noon())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(t, a), []event.Kind{auditstream.KindCreated}; !slices.Equal(got, want) {
		t.Fatalf("events of a new stream: got %v, want %v", got, want)
	}
	return a
}

// kinds returns the kinds of the events that were raised, each of which is in the catalog.
func kinds(t *testing.T, a *auditstream.Stream) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range a.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(auditstream.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for kind, c := range map[auditstream.Kind]struct{ with, without error }{
		auditstream.HTTP:   {nil, auditstream.ErrSecret},
		auditstream.Splunk: {nil, auditstream.ErrSecret},
		auditstream.Syslog: {nil, nil},
	} {
		for secret, want := range map[string]error{"a token": c.with, "": c.without} {
			s := wanted(kind)
			s.Secret = secret
			a, err := auditstream.Open(s, noon())
			if !errors.Is(err, want) {
				t.Errorf("Open() of %s with the secret %q = %v, want %v", kind, secret, err, want)
			}
			if err == nil && (!a.Snapshot().Enabled || a.Snapshot().Position != 7 || !a.Take(noon())) {
				t.Errorf("a new stream of %s: got %+v, want it enabled and due from its position", kind, a.Snapshot())
			}
		}
	}
}

// The token of a collector, which nobody is shown, never follows an address to another host. The key by
// which an http stream is signed is never sent.
func TestTokensStayWithTheirReceiver(t *testing.T) {
	t.Parallel()
	fresh := "another token"
	for name, c := range map[string]struct {
		to      string
		secret  *string
		refused bool
	}{
		"another path":             {"https://siem.example.com/other", nil, false},
		"another host":             {"https://evil.example/collect", nil, true},
		"another port":             {"https://siem.example.com:8088/collect", nil, true},
		"without encryption":       {"http://siem.example.com/collect", nil, true},
		"another host, given anew": {"https://evil.example/collect", &fresh, false},
	} {
		for kind, refuses := range map[auditstream.Kind]bool{auditstream.HTTP: false, auditstream.Syslog: false, auditstream.Splunk: true} {
			a := opened(t, kind)
			var want error
			address := c.to
			if c.refused && refuses {
				want, address = auditstream.ErrToken, wanted(kind).URL
			}
			if err := a.Update(auditstream.Change{URL: &c.to, Secret: c.secret}, noon()); !errors.Is(err, want) {
				t.Errorf("%s, %s: Update() = %v, want %v", kind, name, err, want)
			}
			if got := a.Snapshot().URL; got != address {
				t.Errorf("%s, %s: got the address %s, want %s", kind, name, got, address)
			}
		}
	}
}

// What signs batches, or is the token of their receiver, is replaced and never removed.
func TestSecretsAreNotRemoved(t *testing.T) {
	t.Parallel()
	none := ""
	for kind, want := range map[auditstream.Kind]error{auditstream.HTTP: auditstream.ErrSecret, auditstream.Splunk: auditstream.ErrSecret, auditstream.Syslog: nil} {
		a := opened(t, kind)
		before := a.Snapshot().Secret
		err := a.Update(auditstream.Change{Secret: &none}, noon())
		if !errors.Is(err, want) || want != nil && a.Snapshot().Secret != before {
			t.Errorf("%s: Update() without a secret = %v with %q, want %v", kind, err, a.Snapshot().Secret, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	yes, no := true, false
	for name, c := range map[string]struct {
		change  auditstream.Change
		changed []string
	}{
		"nothing":    {auditstream.Change{}, nil},
		"the same":   {auditstream.Change{Name: text("siem"), Secret: text("a token"), Enabled: &yes, Filter: &auditstream.Filter{}}, nil},
		"everything": {auditstream.Change{Name: text("n"), URL: text("https://siem.example.com/"), Secret: text("s"), Enabled: &no, Filter: &auditstream.Filter{Outcome: event.Failure}}, []string{"name", "url", "secret", "enabled", "filter"}},
		"the types":  {auditstream.Change{Filter: &auditstream.Filter{Types: []event.Kind{"user.*"}}}, []string{"filter"}},
	} {
		a := opened(t, auditstream.HTTP)
		later := noon().Add(time.Hour)
		if !a.Take(noon()) || !a.Failed(1, "refused", noon()) {
			t.Fatalf("%s: the stream was not due", name)
		}
		due := a.Snapshot().DueAt
		if err := a.Update(c.change, later); err != nil {
			t.Errorf("%s: Update() = %v, want nil", name, err)
		}
		var got []string
		for _, data := range a.Stored() {
			if updated, is := data.(auditstream.Updated); is {
				got = append(got, updated.Changed...)
			}
		}
		if !slices.Equal(got, c.changed) {
			t.Errorf("%s: got changed %v, want %v", name, got, c.changed)
		}
		if c.changed != nil {
			due = later // it is tried again at once
		}
		if s := a.Snapshot(); !s.DueAt.Equal(due) {
			t.Errorf("%s: got due at %v, want %v", name, s.DueAt, due)
		}
	}
}

// A stream is idle, leased, or switched off; a verb of an earlier turn does nothing.
func TestTransitions(t *testing.T) {
	t.Parallel()
	later := noon().Add(time.Second)
	type result struct{ done, taken bool } // whether the verb did something, and the stream may be taken at once
	verbs := map[string]func(*auditstream.Stream) bool{
		"Take":              func(a *auditstream.Stream) bool { return a.Take(later) },
		"Sent, with more":   func(a *auditstream.Stream) bool { return a.Sent(a.Snapshot().Turn, 9, true, later) },
		"Sent, with all":    func(a *auditstream.Stream) bool { return a.Sent(a.Snapshot().Turn, 9, false, later) },
		"Failed":            func(a *auditstream.Stream) bool { return a.Failed(a.Snapshot().Turn, "why", later) },
		"Sent, of the past": func(a *auditstream.Stream) bool { return a.Sent(a.Snapshot().Turn-1, 9, true, later) },
		"Failed, likewise":  func(a *auditstream.Stream) bool { return a.Failed(a.Snapshot().Turn-1, "why", later) },
	}
	for state, c := range map[string]struct {
		enabled bool
		due     time.Time
		want    map[string]result
	}{
		"due":            {true, noon(), map[string]result{"Take": {true, false}, "Sent, with more": {true, true}, "Sent, with all": {true, false}, "Failed": {true, false}, "Sent, of the past": {false, true}, "Failed, likewise": {false, true}}},
		"leased":         {true, noon().Add(auditstream.Lease), map[string]result{"Take": {false, false}, "Sent, with more": {true, true}, "Sent, with all": {true, false}, "Failed": {true, false}, "Sent, of the past": {false, false}, "Failed, likewise": {false, false}}},
		"switched off":   {false, noon(), map[string]result{"Take": {false, false}, "Sent, with more": {true, false}, "Sent, with all": {true, false}, "Failed": {true, false}, "Sent, of the past": {false, false}, "Failed, likewise": {false, false}}},
		"off and leased": {false, noon().Add(auditstream.Lease), map[string]result{"Take": {false, false}, "Sent, with more": {true, false}, "Sent, with all": {true, false}, "Failed": {true, false}, "Sent, of the past": {false, false}, "Failed, likewise": {false, false}}},
	} {
		for verb, do := range verbs {
			s := wanted(auditstream.HTTP)
			s.Enabled, s.Turn, s.DueAt = c.enabled, 3, c.due
			a := auditstream.Restore(s, 1)
			want, said := c.want[verb]
			if !said {
				t.Errorf("%s of a stream that is %s: the table says nothing", verb, state)
			}
			done := do(a)
			if !done && !reflect.DeepEqual(a.Snapshot(), s) {
				t.Errorf("%s of a stream that is %s did nothing: got %+v, want %+v", verb, state, a.Snapshot(), s)
			}
			if got := (result{done, a.Take(later)}); got != want {
				t.Errorf("%s of a stream that is %s: got %+v, want %+v", verb, state, got, want)
			}
		}
	}
}

// Two senders never have one turn, and the one that lost it moves the stream nowhere.
func TestTurns(t *testing.T) {
	t.Parallel()
	a := opened(t, auditstream.HTTP)
	if !a.Take(noon()) || a.Take(noon().Add(auditstream.Lease-1)) || !a.Take(noon().Add(auditstream.Lease)) {
		t.Fatal("a leased stream was taken, or one whose lease is over was not")
	}
	if a.Sent(1, 100, false, noon()) || a.Failed(1, "why", noon()) || a.Snapshot().Position != 7 || a.Snapshot().Failures != 0 {
		t.Errorf("after a verb of an earlier turn: got %+v, want position 7 and no failures", a.Snapshot().Progress)
	}
	if !a.Sent(2, 100, false, noon()) || a.Snapshot().Position != 100 {
		t.Errorf("after a batch: got position %d, want 100", a.Snapshot().Position)
	}
	if got, want := a.Snapshot().DueAt, noon().Add(time.Second); !got.Equal(want) {
		t.Errorf("after the last batch: got due at %v, want %v", got, want)
	}
}

// The pauses double up to ten minutes, and a failure of an hour is told once.
func TestFailures(t *testing.T) {
	t.Parallel()
	a := opened(t, auditstream.HTTP)
	fail := func(now time.Time) time.Duration {
		if !a.Take(now) || !a.Failed(a.Snapshot().Turn, "why", now) {
			t.Fatalf("the stream was not due at %v", now)
		}
		return a.Snapshot().DueAt.Sub(now)
	}
	now := noon()
	var failures []time.Time
	for i, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 600, 600, 600} {
		pause := fail(now)
		if pause != want*time.Second {
			t.Errorf("the pause after failure %d: got %v, want %v", i+1, pause, want*time.Second)
		}
		for _, kind := range kinds(t, a) {
			if kind == auditstream.KindFailed {
				failures = append(failures, now)
			}
		}
		now = now.Add(pause)
	}
	if len(failures) != 1 || failures[0].Sub(noon()) < time.Hour {
		t.Errorf("the failure was reported at %v, want once, an hour or more after %v", failures, noon())
	}
	if !a.Take(now) || !a.Sent(a.Snapshot().Turn, 8, true, now) {
		t.Fatal("the stream was not due")
	}
	if got := a.Snapshot().Progress; got.Failures != 0 || got.FailureReported || !got.FailingSince.IsZero() || got.LastError != "" || !got.SentAt.Equal(now) {
		t.Errorf("after a batch that was taken: got %+v, want no failures", got)
	}
	if pause := fail(now); pause != 5*time.Second {
		t.Errorf("the first pause of new failures: got %v, want 5s", pause)
	}
	a.Delete()
	if got, want := kinds(t, a), []event.Kind{auditstream.KindDeleted}; !slices.Equal(got, want) {
		t.Errorf("events of a deletion: got %v, want %v", got, want)
	}
}

func TestFilterTakes(t *testing.T) {
	t.Parallel()
	record := event.Record{Kind: "login.failed", Outcome: event.Failure}
	type list = []event.Kind
	for name, c := range map[string]struct {
		filter auditstream.Filter
		want   bool
	}{
		"everything":           {auditstream.Filter{}, true},
		"all types":            {auditstream.Filter{Types: list{"*"}}, true},
		"its name":             {auditstream.Filter{Types: list{"user.created", "login.failed"}}, true},
		"its resource":         {auditstream.Filter{Types: list{"login.*"}}, true},
		"another name":         {auditstream.Filter{Types: list{"login.succeeded"}}, false},
		"another resource":     {auditstream.Filter{Types: list{"log.*", "logins.*", "login"}}, false},
		"failures":             {auditstream.Filter{Outcome: event.Failure}, true},
		"successes":            {auditstream.Filter{Outcome: event.Success}, false},
		"its name, successful": {auditstream.Filter{Types: list{"login.failed"}, Outcome: event.Success}, false},
	} {
		if got := c.filter.Takes(record); got != c.want {
			t.Errorf("%s: Takes() = %v, want %v", name, got, c.want)
		}
	}
}
