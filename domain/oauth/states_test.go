package oauth_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

const window = 10 * time.Second

// authorization is one that a person gave.
func authorization() oauth.Authorization {
	return oauth.Authorization{AppID: "app_1", UserID: "usr_1", OrgID: "org_1", SessionID: "ses_1", Scopes: []string{"openid"}}
}

// redeemed returns a grant whose code was redeemed at noon.
func redeemed(t *testing.T, refresh oauth.Digest) *oauth.Grant {
	t.Helper()
	g := oauth.Issue("grt_1", authorization(), oauth.Code{Digest: "code"}, noon())
	if err := g.Redeem(oauth.Lifetimes{Idle: time.Hour, Absolute: 3 * time.Hour}, refresh, "", noon()); err != nil {
		t.Fatal(err)
	}
	return g
}

// grants are grants as they may be half a minute after noon, by name.
func grants(t *testing.T) map[string]func() *oauth.Grant {
	t.Helper()
	changed := func(change func(*oauth.GrantSnapshot)) func() *oauth.Grant {
		return func() *oauth.Grant {
			s := redeemed(t, "first").Snapshot()
			change(&s)
			return oauth.RestoreGrant(s, 1)
		}
	}
	return map[string]func() *oauth.Grant{
		"waiting": func() *oauth.Grant { return oauth.Issue("grt_1", authorization(), oauth.Code{Digest: "code"}, noon()) },
		"not come": func() *oauth.Grant {
			return oauth.Issue("grt_1", authorization(), oauth.Code{Digest: "code"}, noon().Add(-oauth.CodeLife))
		},
		"in use":    func() *oauth.Grant { return redeemed(t, "first") },
		"unrenewed": func() *oauth.Grant { return redeemed(t, "") },
		"exchanged": func() *oauth.Grant {
			return oauth.Exchange("grt_2", "grt_1", authorization(), noon().Add(time.Hour), noon())
		},
		"idle":    changed(func(s *oauth.GrantSnapshot) { s.Idle = 30 * time.Second }),
		"expired": changed(func(s *oauth.GrantSnapshot) { s.ExpiresAt = noon().Add(30 * time.Second) }),
		"ended":   changed(func(s *oauth.GrantSnapshot) { s.EndedAt, s.EndReason = noon(), oauth.ByConsent }),
		"for device": func() *oauth.Grant {
			return oauth.IssueToDevice("grt_1", authorization(), "code", noon().Add(oauth.DeviceLife), noon())
		},
	}
}

// grantResult is what a verb does to a grant; nothing but the error is the zero one.
type grantResult struct {
	err    error
	active bool
	told   []event.Kind
}

// Every verb on every grant.
func TestGrantTransitions(t *testing.T) {
	t.Parallel()
	now := noon().Add(30 * time.Second)
	lives := oauth.Lifetimes{Idle: time.Hour, Absolute: time.Hour}
	issued, revoked := []event.Kind{oauth.KindTokenIssued}, []event.Kind{oauth.KindRevoked}
	stolen := grantResult{oauth.ErrRefresh, false, []event.Kind{session.KindReuseDetected, oauth.KindRevoked}}
	inactive, refused := grantResult{oauth.ErrRefresh, false, nil}, grantResult{oauth.ErrRefresh, true, nil}
	reused := grantResult{oauth.ErrCode, false, revoked}
	redeem := map[string]grantResult{
		"waiting": {nil, true, issued}, "for device": {nil, true, issued}, "not come": {oauth.ErrCode, false, nil}, "ended": {oauth.ErrCode, false, nil},
		"in use": reused, "unrenewed": reused, "exchanged": reused, "idle": reused, "expired": reused,
	}
	refresh := func(inUse grantResult) map[string]grantResult {
		return map[string]grantResult{
			"waiting": inactive, "for device": inactive, "not come": inactive, "ended": inactive, "idle": inactive, "expired": inactive,
			"unrenewed": refused, "exchanged": refused, "in use": inUse,
		}
	}
	end := map[string]grantResult{"ended": {}}
	for name := range grants(t) {
		if name != "ended" {
			end[name] = grantResult{nil, false, revoked}
		}
	}
	for _, verb := range []struct {
		name string
		do   func(*oauth.Grant) error
		want map[string]grantResult
	}{
		{"Redeem", func(g *oauth.Grant) error { return g.Redeem(lives, "first", "", now) }, redeem},
		{"RedeemDevice", func(g *oauth.Grant) error { return g.RedeemDevice(lives, "first", "", now) }, redeem},
		{"Rotate", func(g *oauth.Grant) error { return g.Rotate("first", "second", window, now) }, refresh(grantResult{nil, true, issued})},
		{"Rotate, stolen", func(g *oauth.Grant) error { return g.Rotate("other", "second", window, now) }, refresh(stolen)},
		{"Rotate, by none", func(g *oauth.Grant) error { return g.Rotate("", "second", window, now) }, refresh(stolen)},
		{"Reuse", func(g *oauth.Grant) error { return g.Reuse("first", now) }, refresh(grantResult{nil, true, issued})},
		{"Reuse, stolen", func(g *oauth.Grant) error { return g.Reuse("other", now) }, refresh(refused)},
		{"Reuse, by none", func(g *oauth.Grant) error { return g.Reuse("", now) }, refresh(refused)},
		{"End", func(g *oauth.Grant) error { g.End(oauth.ByClient, now); return nil }, end},
	} {
		for state, prepare := range grants(t) {
			want, said := verb.want[state]
			if !said {
				t.Errorf("%s of a grant that is %s: the table says nothing", verb.name, state)
			}
			checkGrant(t, verb.name+" of a grant that is "+state, prepare(), verb.do, want, now)
		}
	}
}

func checkGrant(t *testing.T, what string, g *oauth.Grant, do func(*oauth.Grant) error, want grantResult, now time.Time) {
	t.Helper()
	g.Stored()
	before := g.Snapshot()
	if err := do(g); !errors.Is(err, want.err) || g.Snapshot().Active(now) != want.active {
		t.Errorf("%s: got %v, active %v, want %v, %v", what, err, g.Snapshot().Active(now), want.err, want.active)
	}
	if want.err != nil && want.told == nil && !reflect.DeepEqual(g.Snapshot(), before) {
		t.Errorf("%s: got %+v after a refusal, want %+v", what, g.Snapshot(), before)
	}
	var told []event.Kind
	for _, data := range g.Stored() {
		told = append(told, data.Kind())
	}
	if !slices.Equal(told, want.told) {
		t.Errorf("%s: got events %v, want %v", what, told, want.told)
	}
}

// A token that was replaced comes again within the window, as long as its successor was not used (RFC 9700
// section 4.14.2).
func TestGrantRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		successor oauth.Digest
		window    time.Duration
		after     time.Duration
		used      bool
		want      error
	}{
		"at once":                   {"second", window, 0, false, nil},
		"at the end of the window":  {"second", window, window, false, nil},
		"after the window":          {"second", window, window + 1, false, oauth.ErrRefresh},
		"without a window":          {"second", 0, 0, false, oauth.ErrRefresh},
		"with another successor":    {"third", window, 0, false, oauth.ErrRefresh},
		"after the successor's use": {"second", window, 0, true, oauth.ErrRefresh},
	} {
		g := redeemed(t, "first")
		if err := g.Rotate("first", "second", window, noon()); err != nil {
			t.Fatal(err)
		}
		if c.used {
			if err := g.Rotate("second", "third", window, noon()); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Rotate("first", c.successor, c.window, noon().Add(c.after)); !errors.Is(err, c.want) || g.Ended() != (c.want != nil) {
			t.Errorf("%s: Rotate() = %v, ended %v, want %v", name, err, g.Ended(), c.want)
		}
	}
}

// The key that a code is bound to stays, whatever key it is redeemed with; without one, the key of the
// redemption is that of the tokens (RFC 9449).
func TestGrantKeys(t *testing.T) {
	t.Parallel()
	for bound, want := range map[string]string{"": "mine", "its own": "its own"} {
		to := authorization()
		to.JKT = bound
		g := oauth.Issue("grt_1", to, oauth.Code{}, noon())
		if err := g.Redeem(oauth.Lifetimes{}, "", "mine", noon()); err != nil || g.Snapshot().JKT != want {
			t.Errorf("a code bound to %q: got %v and the key %q, want %q", bound, err, g.Snapshot().JKT, want)
		}
	}
}

func TestGrantLives(t *testing.T) {
	t.Parallel()
	g := redeemed(t, "first")
	if err := g.Rotate("first", "second", window, noon().Add(50*time.Minute)); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]bool{0: true, 110*time.Minute - 1: true, 110 * time.Minute: false, 3 * time.Hour: false} {
		if got := g.Snapshot().Active(noon().Add(after)); got != want {
			t.Errorf("Active() after %v = %v, want %v", after, got, want)
		}
	}
	if got, want := g.Snapshot().PurgeAt(), noon().Add(3*time.Hour+7*24*time.Hour); !got.Equal(want) {
		t.Errorf("PurgeAt() = %v, want %v", got, want)
	}
	g.End(oauth.ByClient, noon())
	if got, want := g.Snapshot().PurgeAt(), noon().Add(7*24*time.Hour); !got.Equal(want) {
		t.Errorf("PurgeAt() once it has ended = %v, want %v", got, want)
	}
	if g.End(oauth.ByConsent, noon()); g.Snapshot().EndReason != oauth.ByClient {
		t.Errorf("EndReason = %q, want that of the first end", g.Snapshot().EndReason)
	}
	rules := workspace.RulesMark{Revision: 5, At: noon()}
	for revision, want := range map[int64]bool{0: false, 4: false, 5: true, 6: true, workspace.Unrecorded: true} {
		if g.Meet(revision, 0); g.Snapshot().Meets(rules) != want {
			t.Errorf("Meets() having met revision %d = %v, want %v", revision, !want, want)
		}
	}
	if !g.Snapshot().Has("openid") || g.Snapshot().Has("email") {
		t.Errorf("Has() = openid %v, email %v, want true, false", g.Snapshot().Has("openid"), g.Snapshot().Has("email"))
	}
}

// Every verb on a device in every state.
func TestDeviceTransitions(t *testing.T) {
	t.Parallel()
	late := noon().Add(oauth.DeviceLife)
	approve := func(d *oauth.Device, now time.Time) error { return d.Approve("grt_1", authorization(), now) }
	deny := func(d *oauth.Device, now time.Time) error { return d.Deny("usr_1", "org_1", now) }
	poll := func(d *oauth.Device, now time.Time) error { return d.Poll(now) }
	type result struct {
		err      error
		decision oauth.Decision
		told     []event.Kind
	}
	for _, verb := range []struct {
		name string
		do   func(*oauth.Device, time.Time) error
		want map[string]result
	}{
		{"Poll", poll, map[string]result{
			"waiting": {oauth.ErrPending, "", nil}, "expired": {oauth.ErrDeviceExpired, "", nil},
			"approved": {nil, oauth.DeviceApproved, nil}, "denied": {oauth.ErrDeviceDenied, oauth.DeviceDenied, nil},
		}},
		{"Approve", approve, map[string]result{
			"waiting": {nil, oauth.DeviceApproved, []event.Kind{oauth.KindDeviceApproved}}, "expired": {oauth.ErrUserCode, "", nil},
			"approved": {oauth.ErrUserCode, oauth.DeviceApproved, nil}, "denied": {oauth.ErrUserCode, oauth.DeviceDenied, nil},
		}},
		{"Deny", deny, map[string]result{
			"waiting": {nil, oauth.DeviceDenied, []event.Kind{oauth.KindDeviceDenied}}, "expired": {oauth.ErrUserCode, "", nil},
			"approved": {oauth.ErrUserCode, oauth.DeviceApproved, nil}, "denied": {oauth.ErrUserCode, oauth.DeviceDenied, nil},
		}},
	} {
		for state, prepare := range map[string]func(*oauth.Device) error{
			"waiting": func(*oauth.Device) error { return nil }, "expired": func(*oauth.Device) error { return nil },
			"approved": func(d *oauth.Device) error { return approve(d, noon()) }, "denied": func(d *oauth.Device) error { return deny(d, noon()) },
		} {
			d, now := waiting(), noon().Add(time.Minute)
			if err := prepare(d); err != nil {
				t.Fatal(err)
			}
			if state == "expired" {
				now = late
			}
			d.Stored()
			want, said := verb.want[state]
			if !said {
				t.Errorf("%s of a device that is %s: the table says nothing", verb.name, state)
			}
			if err := verb.do(d, now); !errors.Is(err, want.err) || d.Snapshot().Decision != want.decision {
				t.Errorf("%s of a device that is %s: got %v, decided %q, want %v, %q", verb.name, state, err, d.Snapshot().Decision, want.err, want.decision)
			}
			var told []event.Kind
			for _, data := range d.Stored() {
				told = append(told, data.Kind())
			}
			if !slices.Equal(told, want.told) {
				t.Errorf("%s of a device that is %s: got events %v, want %v", verb.name, state, told, want.told)
			}
			kept := time.Hour
			if d.Snapshot().Decision == oauth.DeviceApproved {
				kept = 7 * 24 * time.Hour
			}
			if got := d.Snapshot().PurgeAt(); !got.Equal(late.Add(kept)) {
				t.Errorf("%s of a device that is %s: PurgeAt() = %v, want %v", verb.name, state, got, late.Add(kept))
			}
		}
	}
}

// Every event of the package is described once.
func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	seen := map[event.Kind]bool{}
	for _, d := range oauth.Events() {
		if kind := d.Example.Kind(); seen[kind] || d.Summary == "" {
			t.Errorf("%s: described twice, or without a summary", kind)
		} else {
			seen[kind] = true
		}
	}
	for _, kind := range []event.Kind{
		oauth.KindCodeIssued, oauth.KindTokenIssued, oauth.KindRevoked, oauth.KindConsentGranted, oauth.KindConsentRevoked, oauth.KindDeviceApproved, oauth.KindDeviceDenied,
	} {
		if !seen[kind] {
			t.Errorf("got no description of %s, want one", kind)
		}
	}
}

func TestConsent(t *testing.T) {
	t.Parallel()
	c := oauth.Agree("usr_1", "app_1", "org_1", []string{"profile", "email", "profile"}, noon())
	later := noon().Add(time.Hour)
	for _, step := range []struct {
		asked  []string
		covers bool
		after  []string
	}{
		{nil, true, []string{"email", "profile"}},
		{[]string{"email"}, true, []string{"email", "profile"}},
		{[]string{"address"}, false, []string{"address", "email", "profile"}},
		{[]string{"address", "email"}, true, []string{"address", "email", "profile"}},
		{[]string{"email", "groups"}, false, []string{"address", "email", "groups", "profile"}},
	} {
		if got := c.Covers(step.asked); got != step.covers {
			t.Errorf("Covers(%v) = %v, want %v", step.asked, got, step.covers)
		}
		before := c.Snapshot()
		kept := slices.Clone(before.Scopes)
		if c.Widen(step.asked, later); !slices.Equal(c.Snapshot().Scopes, step.after) || !c.Snapshot().LastUsedAt.Equal(later) || !c.Snapshot().GrantedAt.Equal(noon()) {
			t.Errorf("Widen(%v): got %+v, want %v", step.asked, c.Snapshot(), step.after)
		}
		if !slices.Equal(before.Scopes, kept) {
			t.Errorf("Widen(%v) changed a copy: got %v, want %v", step.asked, before.Scopes, kept)
		}
	}
	c.Stored()
	c.Revoke()
	if told := c.Stored(); len(told) != 1 || told[0].Kind() != oauth.KindConsentRevoked {
		t.Errorf("events of an end: got %v, want %s", told, oauth.KindConsentRevoked)
	}
}

// A logout is attempted five times, and given up once it was interrupted more often than that.
func TestLogoutRetries(t *testing.T) {
	t.Parallel()
	for attempts, c := range map[int]struct {
		pause       time.Duration
		interrupted bool
	}{0: {0, false}, 1: {30 * time.Second, false}, 2: {5 * time.Minute, false}, 3: {30 * time.Minute, false}, 4: {time.Hour, false}, 5: {0, false}, 6: {0, true}} {
		l := oauth.Logout{Attempts: attempts}
		for chance, share := range map[float64]float64{0: 1, 1: 0.9} {
			var want time.Time
			if c.pause > 0 {
				want = noon().Add(time.Duration(share * float64(c.pause)))
			}
			if got := l.RetryAt(chance, noon()); got.Sub(want).Abs() > time.Microsecond {
				t.Errorf("RetryAt() after %d attempts, by %v = %v, want %v", attempts, chance, got, want)
			}
		}
		if got := l.Interrupted(); got != c.interrupted {
			t.Errorf("Interrupted() after %d attempts = %v, want %v", attempts, got, c.interrupted)
		}
	}
}
