package webhook_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
)

func draft() webhook.Draft {
	return webhook.Draft{
		ID: "whk_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh", URL: "https://example.com/hook",
		Headers: map[string]string{"Authorization": "Bearer abc"}, Secret: []byte("first"),
	}
}

// kinds returns the kinds of the events that were raised, each of which is in the catalog.
func kinds(t *testing.T, e *webhook.Endpoint) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range e.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(webhook.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

// made returns a new endpoint whose events are stored.
func made(t *testing.T) *webhook.Endpoint {
	t.Helper()
	e := webhook.New(draft(), noon())
	if got, want := kinds(t, e), []event.Kind{webhook.KindCreated}; !slices.Equal(got, want) {
		t.Fatalf("events of a new endpoint: got %v, want %v", got, want)
	}
	return e
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	type list = []event.Kind
	for name, c := range map[string]struct{ asked, kept, taken, left list }{
		"nothing named":  {nil, list{"*"}, list{"user.created", "org.deleted"}, nil},
		"all and others": {list{"user.created", "*"}, list{"*"}, list{"org.deleted"}, nil},
		"a resource":     {list{"user.*"}, list{"user.*"}, list{"user.created", "user.deleted"}, list{"user_key.created", "users.created"}},
		"names, twice":   {list{"user.deleted", "user.created", "user.deleted"}, list{"user.created", "user.deleted"}, list{"user.created"}, list{"user.updated", "user.created2"}},
	} {
		d := draft()
		d.Events = c.asked
		s := webhook.New(d, noon()).Snapshot()
		if !slices.Equal(s.Events, c.kept) {
			t.Errorf("%s: got %v, want %v", name, s.Events, c.kept)
		}
		for _, kind := range slices.Concat(c.taken, c.left) {
			if got, want := s.Wants(kind), slices.Contains(c.taken, kind); got != want {
				t.Errorf("%s: Wants(%s) = %v, want %v", name, kind, got, want)
			}
		}
	}
}

// An endpoint is enabled or disabled by a person, or disabled by itself; only changes raise an event.
func TestEndpointTransitions(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	enable := func(e *webhook.Endpoint) { _ = e.Update(webhook.Change{Enabled: &yes}, noon()) }
	disable := func(e *webhook.Endpoint) { _ = e.Update(webhook.Change{Enabled: &no}, noon()) }
	gone := func(e *webhook.Endpoint) { e.Disable(webhook.ByGone, noon()) }
	failing := func(e *webhook.Endpoint) { e.Disable(webhook.ByFailing, noon()) }
	states := map[string]func(*webhook.Endpoint){"": func(*webhook.Endpoint) {}, webhook.ByPerson: disable, webhook.ByGone: gone, webhook.ByFailing: failing}
	for _, verb := range []struct {
		name string
		do   func(*webhook.Endpoint)
		// want is why the endpoint is disabled afterwards, by why it was before; event is the event of a change.
		want  map[string]string
		event event.Kind
	}{
		{"enable", enable, map[string]string{"": "", webhook.ByPerson: "", webhook.ByGone: "", webhook.ByFailing: ""}, webhook.KindUpdated},
		{"disable", disable, map[string]string{"": webhook.ByPerson, webhook.ByPerson: webhook.ByPerson, webhook.ByGone: webhook.ByGone, webhook.ByFailing: webhook.ByFailing}, webhook.KindUpdated},
		{"is gone", gone, map[string]string{"": webhook.ByGone, webhook.ByPerson: webhook.ByPerson, webhook.ByGone: webhook.ByGone, webhook.ByFailing: webhook.ByFailing}, webhook.KindAutoDisabled},
		{"fails", failing, map[string]string{"": webhook.ByFailing, webhook.ByPerson: webhook.ByPerson, webhook.ByGone: webhook.ByGone, webhook.ByFailing: webhook.ByFailing}, webhook.KindAutoDisabled},
	} {
		for was, prepare := range states {
			e := made(t)
			prepare(e)
			e.Stored()
			verb.do(e)
			want := verb.want[was]
			if s := e.Snapshot(); s.Disabled != want || s.Enabled != (want == "") {
				t.Errorf("%s while disabled is %q: got enabled %v, disabled %q, want %q", verb.name, was, s.Enabled, s.Disabled, want)
			}
			var events []event.Kind
			if was != want {
				events = []event.Kind{verb.event}
			}
			if got := kinds(t, e); !slices.Equal(got, events) {
				t.Errorf("%s while disabled is %q: got events %v, want %v", verb.name, was, got, events)
			}
		}
	}
	e := made(t)
	e.Delete()
	if got, want := kinds(t, e), []event.Kind{webhook.KindDeleted}; !slices.Equal(got, want) {
		t.Errorf("events of a deletion: got %v, want %v", got, want)
	}
}

// A person who enables an endpoint begins its failures anew.
func TestEnablingForgetsFailures(t *testing.T) {
	t.Parallel()
	yes := true
	s := made(t).Snapshot()
	s.Enabled, s.Disabled, s.Health = false, webhook.ByFailing, webhook.Health{Streak: 9, FailingSince: noon()}
	e := webhook.Restore(s, 1)
	if err := e.Update(webhook.Change{Enabled: &yes}, noon()); err != nil {
		t.Fatalf("Update() = %v, want nil", err)
	}
	if got := e.Snapshot().Health; got != (webhook.Health{}) {
		t.Errorf("Health after it was enabled: got %+v, want none", got)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	number := 7
	for name, c := range map[string]struct {
		change  webhook.Change
		changed []string
	}{
		"nothing":          {webhook.Change{}, nil},
		"the same":         {webhook.Change{URL: text(draft().URL), Events: []event.Kind{}, Headers: draft().Headers, Description: text("")}, nil},
		"everything":       {webhook.Change{URL: text("https://example.com/other"), Events: []event.Kind{"user.*"}, Description: text("d"), Headers: map[string]string{}, RateLimit: &number}, []string{"url", "events", "description", "headers", "rate_limit"}},
		"a header's value": {webhook.Change{Headers: map[string]string{"Authorization": "Bearer abd"}}, []string{"headers"}},
	} {
		e := made(t)
		later := noon().Add(time.Hour)
		if err := e.Update(c.change, later); err != nil {
			t.Errorf("%s: Update() = %v, want nil", name, err)
		}
		var got []string
		for _, data := range e.Stored() {
			if updated, is := data.(webhook.Updated); is {
				got = append(got, updated.Changed...)
			}
		}
		if !slices.Equal(got, c.changed) {
			t.Errorf("%s: got changed %v, want %v", name, got, c.changed)
		}
		if got, want := e.Snapshot().UpdatedAt.Equal(later), len(c.changed) > 0; got != want {
			t.Errorf("%s: UpdatedAt moved: got %v, want %v", name, got, want)
		}
	}
}

// Header values, which nobody is shown, never follow an address to a receiver they were not given for.
func TestHeadersStayWithTheirReceiver(t *testing.T) {
	t.Parallel()
	given := map[string]string{"Authorization": "Bearer other"}
	for name, c := range map[string]struct {
		to      string
		headers map[string]string
		want    error
	}{
		"another path":              {"https://example.com/other", nil, nil},
		"the host in capitals":      {"https://EXAMPLE.com/hook", nil, nil},
		"another host":              {"https://evil.example/hook", nil, webhook.ErrHeaders},
		"a subdomain":               {"https://a.example.com/hook", nil, webhook.ErrHeaders},
		"another port":              {"https://example.com:8443/hook", nil, webhook.ErrHeaders},
		"without encryption":        {"http://example.com/hook", nil, webhook.ErrHeaders},
		"the host as a user's name": {"https://example.com@evil.example/hook", nil, webhook.ErrHeaders},
		"no address":                {"https://example.com:port/", nil, webhook.ErrHeaders},
		"another host, given anew":  {"https://evil.example/hook", given, nil},
		"another host, with none":   {"https://evil.example/hook", map[string]string{}, nil},
	} {
		e := made(t)
		if err := e.Update(webhook.Change{URL: &c.to, Headers: c.headers}, noon()); !errors.Is(err, c.want) {
			t.Errorf("%s: Update() = %v, want %v", name, err, c.want)
		}
		s := e.Snapshot()
		if c.want != nil && (s.URL != draft().URL || len(kinds(t, e)) != 0) {
			t.Errorf("%s: got the address %s after a refusal, want %s", name, s.URL, draft().URL)
		}
		if c.headers != nil && !reflect.DeepEqual(s.Headers, c.headers) {
			t.Errorf("%s: got headers %v, want %v", name, s.Headers, c.headers)
		}
	}
	bare := draft()
	bare.Headers = nil
	to := "https://elsewhere.example/"
	if err := webhook.New(bare, noon()).Update(webhook.Change{URL: &to}, noon()); err != nil {
		t.Errorf("another host without headers: Update() = %v, want nil", err)
	}
	if webhook.SameReceiver("https://example.com:port/", "https://example.com:port/") {
		t.Error("SameReceiver() of what is no address = true, want false")
	}
}

// keys returns those of secrets, in order.
func keys(of []webhook.Secret) []string {
	var list []string
	for _, one := range of {
		list = append(list, string(one.Key))
	}
	return list
}

func TestRotateSecret(t *testing.T) {
	t.Parallel()
	e := made(t)
	until, err := e.RotateSecret([]byte("second"), time.Hour, noon())
	if err != nil || !until.Equal(noon().Add(time.Hour)) {
		t.Fatalf("RotateSecret() = %v, %v, want %v", until, err, noon().Add(time.Hour))
	}
	if got, want := kinds(t, e), []event.Kind{webhook.KindSecretRotated}; !slices.Equal(got, want) {
		t.Errorf("events of a rotation: got %v, want %v", got, want)
	}
	for after, want := range map[time.Duration][]string{
		0: {"second", "first"}, time.Hour - 1: {"second", "first"}, time.Hour: {"second"}, 1000 * time.Hour: {"second"},
	} {
		if got := keys(e.Snapshot().Live(noon().Add(after))); !slices.Equal(got, want) {
			t.Errorf("Live() after %v: got %v, want %v", after, got, want)
		}
	}
	if _, err := e.RotateSecret([]byte("third"), 0, noon()); err != nil {
		t.Errorf("RotateSecret() without an overlap = %v, want nil", err)
	}
	if got, want := keys(e.Snapshot().Secrets), []string{"third"}; !slices.Equal(got, want) {
		t.Errorf("secrets after a rotation without an overlap: got %v, want %v", got, want)
	}
}

func TestSecretsAreBounded(t *testing.T) {
	t.Parallel()
	e := made(t)
	for i := range webhook.MaxSecrets - 1 {
		if _, err := e.RotateSecret([]byte{byte(i)}, time.Hour, noon()); err != nil {
			t.Fatalf("rotation %d = %v, want nil", i+1, err)
		}
	}
	before := e.Snapshot()
	e.Stored()
	if _, err := e.RotateSecret([]byte("more"), time.Hour, noon()); !errors.Is(err, webhook.ErrSecrets) {
		t.Errorf("a rotation beyond %d secrets = %v, want ErrSecrets", webhook.MaxSecrets, err)
	}
	if got := e.Snapshot(); !reflect.DeepEqual(got, before) || e.Changed() {
		t.Errorf("after a refused rotation: got %d secrets, the newest until %v, want %d that are as before", len(got.Secrets), got.Secrets[0].Until, len(before.Secrets))
	}
	if _, err := e.RotateSecret([]byte("more"), time.Hour, noon().Add(time.Hour)); err != nil {
		t.Errorf("a rotation once the overlaps have passed = %v, want nil", err)
	}
	if _, err := e.RotateSecret([]byte("last"), 0, noon().Add(time.Hour)); err != nil {
		t.Errorf("a rotation without an overlap = %v, want nil", err)
	}
}
