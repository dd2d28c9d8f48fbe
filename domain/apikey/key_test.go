package apikey_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// same draws the same byte again and again.
type same byte

func (s same) Bytes(n int) []byte { return slices.Repeat([]byte{byte(s)}, n) }

// text is one of 62 different texts.
func text(i int) secret.Shown { return keytext.New(keytext.APIKey, same(i)) }

func digest(i int) string { return keytext.Digest(string(text(i))) }

func minted(t *testing.T, change func(*apikey.Draft)) *apikey.Key {
	t.Helper()
	d := apikey.Draft{
		ID: "key_1", UserID: "usr_1", OrgID: "org_1", Name: "backup", Scopes: []string{"users:read", "apps:read", "users:read"}, Text: text(0),
	}
	if change != nil {
		change(&d)
	}
	k, err := apikey.Mint(d, noon())
	if err != nil {
		t.Fatalf("Mint() = %v", err)
	}
	return k
}

// kindsOf returns the kinds of what happened since it was asked last.
func kindsOf(k *apikey.Key) []event.Kind {
	var kinds []event.Kind
	for _, data := range k.Stored() {
		kinds = append(kinds, data.Kind())
	}
	return kinds
}

func wantKinds(t *testing.T, k *apikey.Key, want ...event.Kind) {
	t.Helper()
	if got := kindsOf(k); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func TestMint(t *testing.T) {
	t.Parallel()
	k := minted(t, nil)
	wantKinds(t, k, apikey.KindCreated)
	s := k.Snapshot()
	if !slices.Equal(s.Scopes, []string{"apps:read", "users:read"}) {
		t.Errorf("scopes %q are not each there once, in order", s.Scopes)
	}
	if s.Prefix != "ak_live_0000" || len(s.Secrets) != 1 || s.Secrets[0] != (apikey.Secret{Digest: digest(0)}) {
		t.Errorf("the text is kept as %q, %+v", s.Prefix, s.Secrets)
	}
	if !k.Opens(digest(0), noon().AddDate(100, 0, 0)) || k.Opens(digest(1), noon()) {
		t.Error("a key without an end does not open for ever by its text alone")
	}
	if none := minted(t, func(d *apikey.Draft) { d.Scopes = []string{} }).Snapshot().Scopes; none != nil {
		t.Errorf("no scopes are kept as %#v", none)
	}
}

func TestEndsAreInTheNextTenYears(t *testing.T) {
	t.Parallel()
	most := noon().AddDate(10, 0, 0)
	for _, c := range []struct {
		at   time.Time
		want error
	}{
		{noon(), apikey.ErrExpiresAt},
		{noon().Add(-time.Hour), apikey.ErrExpiresAt},
		{noon().Add(time.Microsecond), nil},
		{most, nil},
		{most.Add(time.Microsecond), apikey.ErrExpiresAt},
	} {
		if _, err := apikey.Mint(apikey.Draft{Text: text(0), ExpiresAt: c.at}, noon()); !errors.Is(err, c.want) {
			t.Errorf("Mint() of a key until %v = %v, want %v", c.at, err, c.want)
		}
		k := minted(t, nil)
		k.Stored()
		if err := k.Update(apikey.Change{ExpiresAt: c.at}, noon()); !errors.Is(err, c.want) || k.Changed() != (c.want == nil) {
			t.Errorf("Update() to %v = %v and changed %t, want %v", c.at, err, k.Changed(), c.want)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	end := noon().Add(time.Hour)
	expiring := apikey.Snapshot{ExpiresAt: end}
	both := apikey.Snapshot{ExpiresAt: end, RevokedAt: noon()}
	for _, c := range []struct {
		s    apikey.Snapshot
		at   time.Time
		want apikey.Status
	}{
		{apikey.Snapshot{}, end, apikey.Active},
		{expiring, end.Add(-1), apikey.Active},
		{expiring, end, apikey.Expired},
		{both, noon(), apikey.Revoked},
		{both, end, apikey.Revoked},
	} {
		if got := c.s.Status(c.at); got != c.want {
			t.Errorf("Status() of %+v at %v = %s, want %s", c.s, c.at, got, c.want)
		}
	}
}

func TestUpdateTellsWhatChanged(t *testing.T) {
	t.Parallel()
	other, same := "other", "backup"
	end := noon().Add(time.Hour)
	networks, err := apikey.Networks([]string{"192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change apikey.Change
		want   []string
	}{
		"nothing":          {apikey.Change{}, nil},
		"the same":         {apikey.Change{Name: &same, Scopes: []string{"users:read", "apps:read"}, AllowedIPs: nil}, nil},
		"name":             {apikey.Change{Name: &other}, []string{"name"}},
		"no scopes":        {apikey.Change{Scopes: []string{}}, []string{"scopes"}},
		"networks":         {apikey.Change{AllowedIPs: networks}, []string{"allowed_ips"}},
		"everything":       {apikey.Change{Name: &other, Scopes: []string{"*"}, ExpiresAt: end, AllowedIPs: networks}, []string{"name", "scopes", "expires_at", "allowed_ips"}},
		"no networks, yet": {apikey.Change{AllowedIPs: networks[:0]}, nil},
	} {
		k := minted(t, nil)
		k.Stored()
		if err := k.Update(c.change, noon()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		happened := k.Stored()
		if len(c.want) == 0 {
			if len(happened) > 0 {
				t.Errorf("%s: told %v", name, happened)
			}
			continue
		}
		if len(happened) != 1 || !slices.Equal(happened[0].(apikey.Updated).Changed, c.want) {
			t.Errorf("%s: told %v, want %v", name, happened, c.want)
		}
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	k := minted(t, nil)
	until, err := k.Rotate(text(1), time.Hour, noon())
	if err != nil || !until.Equal(noon().Add(time.Hour)) || k.Snapshot().Prefix != "ak_live_1111" {
		t.Fatalf("Rotate() = %v, %v, prefix %s", until, err, k.Snapshot().Prefix)
	}
	wantKinds(t, k, apikey.KindCreated, apikey.KindRotated)
	wantOpens(t, k, until.Add(-1), 0, 1)
	wantOpens(t, k, until, 1)
	if _, err := k.Rotate(text(2), 2*time.Hour, noon()); err != nil {
		t.Fatal(err)
	}
	wantOpens(t, k, noon(), 1, 2)
	if until, err = k.Rotate(text(3), 0, noon()); err != nil || !until.Equal(noon()) {
		t.Fatalf("Rotate() without overlap = %v, %v", until, err)
	}
	wantOpens(t, k, noon(), 3)
	if len(k.Snapshot().Secrets) != 1 {
		t.Errorf("%d texts are kept", len(k.Snapshot().Secrets))
	}
	for _, overlap := range []time.Duration{-time.Hour, apikey.MaxOverlap + time.Hour} {
		if _, err := k.Rotate(text(4), overlap, noon()); !errors.Is(err, apikey.ErrOverlap) {
			t.Errorf("Rotate() with an overlap of %v = %v", overlap, err)
		}
	}
}

// wantOpens checks which of the first texts are good.
func wantOpens(t *testing.T, k *apikey.Key, at time.Time, want ...int) {
	t.Helper()
	for i := range 5 {
		if got := k.Opens(digest(i), at); got != slices.Contains(want, i) {
			t.Errorf("text %d opens at %v: %t", i, at, got)
		}
	}
}

func TestOverlapEndsWithTheKey(t *testing.T) {
	t.Parallel()
	end := noon().Add(time.Minute)
	k := minted(t, func(d *apikey.Draft) { d.ExpiresAt = end })
	until, err := k.Rotate(text(1), time.Hour, noon())
	if err != nil || !until.Equal(end) {
		t.Errorf("Rotate() = %v, %v, want the key's own end", until, err)
	}
	wantOpens(t, k, end)
}

func TestEndsOnce(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(k *apikey.Key){
		"revoked": func(k *apikey.Key) { k.End(apikey.ByUser, noon()) },
		"expired": func(*apikey.Key) {},
	} {
		k := minted(t, func(d *apikey.Draft) { d.ExpiresAt = noon().Add(time.Hour) })
		end(k)
		k.Stored()
		before, late := k.Snapshot(), noon().Add(time.Hour)
		k.End(apikey.ByAdmin, late)
		k.Leak(apikey.Finding{}, late)
		if err := k.Update(apikey.Change{Scopes: []string{}}, late); !errors.Is(err, apikey.ErrEnded) {
			t.Errorf("Update() of a key that has %s = %v", name, err)
		}
		if _, err := k.Rotate(text(1), 0, late); !errors.Is(err, apikey.ErrEnded) {
			t.Errorf("Rotate() of a key that has %s = %v", name, err)
		}
		if after := k.Snapshot(); k.Changed() || after.EndReason != before.EndReason || !after.RevokedAt.Equal(before.RevokedAt) || len(after.Scopes) != 2 {
			t.Errorf("a key that has %s became %+v", name, after)
		}
		wantOpens(t, k, late)
	}
}

func TestLeak(t *testing.T) {
	t.Parallel()
	k := minted(t, nil)
	k.Stored()
	k.Leak(apikey.Finding{Source: "scanner", URL: "https://example.com/"}, noon())
	happened := k.Stored()
	if len(happened) != 2 {
		t.Fatalf("told %v", happened)
	}
	if report := happened[0].(apikey.LeakReported); report.Source != "scanner" || report.URL != "https://example.com/" || report.UserID != "usr_1" {
		t.Errorf("told %+v", report)
	}
	if end := happened[1].(apikey.WasRevoked); end.Reason != apikey.ByLeak {
		t.Errorf("told %+v", end)
	}
	wantOpens(t, k, noon())
}

func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, d := range apikey.Events() {
		if c := event.ConcernOf(d.Example); c.UserID == "" || c.OrgID == "" {
			t.Errorf("%s is filed under %+v", d.Example.Kind(), c)
		}
	}
}
