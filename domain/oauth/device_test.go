package oauth_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/oauth"
)

func noon() time.Time { return time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC) }

// drawn are random bytes: the given ones first, then real ones.
type drawn struct{ first []byte }

func (d *drawn) Bytes(n int) []byte {
	out := make([]byte, n)
	_, _ = rand.Read(out)
	d.first = d.first[copy(out, d.first):]
	return out
}

// User codes are of the letters of RFC 8628 section 6.1, each as likely as the others.
func TestUserCodes(t *testing.T) {
	t.Parallel()
	seen := map[rune]int{}
	for range 2000 {
		code := oauth.NewUserCode(&drawn{})
		if len(code) != 8 || code.Shown() != string(code[:4])+"-"+string(code[4:]) {
			t.Fatalf("the code %q is shown as %q", code, code.Shown())
		}
		for _, letter := range code {
			seen[letter]++
		}
	}
	for letter, times := range seen {
		if !strings.ContainsRune("BCDFGHJKLMNPQRSTVWXZ", letter) || times < 600 || times > 1000 {
			t.Errorf("%c came %d times of 16000", letter, times)
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d letters came, want 20", len(seen))
	}
	if got := oauth.NewUserCode(&drawn{[]byte{240, 255, 0, 19, 20, 239, 1, 2, 3, 4, 5, 6}}); got != "BZBZCDFG" {
		t.Errorf("bytes beyond the last even one count: %s", got)
	}
}

func TestTypedUserCodes(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]oauth.UserCode{
		"WDJB-MJHT": "WDJBMJHT", "wdjb mjht": "WDJBMJHT", " w.d.j.b_MJHT\n": "WDJBMJHT", "WDJBMJHT": "WDJBMJHT", "WDJB–MJHT": "WDJBMJHT",
		"": "", "WDJB-MJH": "", "WDJB-MJHTT": "", "AEIO-UYAE": "", "ẄDJB-MJHT": "",
	} {
		got, err := oauth.ParseUserCode(typed)
		if got != want || (want == "") != errors.Is(err, oauth.ErrUserCode) {
			t.Errorf("ParseUserCode(%q) = %q, %v, want %q", typed, got, err, want)
		}
	}
}

func waiting() *oauth.Device {
	return oauth.StartDevice("dvc_1", oauth.DeviceRequest{AppID: "app", Scopes: []string{"openid"}}, noon())
}

// A device that asks too soon waits five seconds longer, each time (RFC 8628 section 3.5).
func TestPolls(t *testing.T) {
	t.Parallel()
	d := waiting()
	for i, step := range []struct {
		after    time.Duration
		want     error
		interval time.Duration
	}{
		{0, oauth.ErrPending, 5 * time.Second},
		{5 * time.Second, oauth.ErrPending, 5 * time.Second},
		{4 * time.Second, oauth.ErrPending, 5 * time.Second},
		{4*time.Second - time.Microsecond, oauth.ErrSlowDown, 10 * time.Second},
		{5 * time.Second, oauth.ErrSlowDown, 15 * time.Second},
		{15 * time.Second, oauth.ErrPending, 15 * time.Second},
	} {
		now := d.Snapshot().PolledAt.Add(step.after)
		if i == 0 {
			now = noon()
		}
		if err := d.Poll(now); !errors.Is(err, step.want) || d.Snapshot().Interval != step.interval {
			t.Errorf("question %d: %v, the interval is %v; want %v, %v", i, err, d.Snapshot().Interval, step.want, step.interval)
		}
	}
	if err := d.Poll(noon().Add(oauth.DeviceLife)); !errors.Is(err, oauth.ErrDeviceExpired) {
		t.Errorf("at the end: %v", err)
	}
}

// One answer counts, in time.
func TestDecisions(t *testing.T) {
	t.Parallel()
	approve := func(d *oauth.Device, now time.Time) error {
		return d.Approve("grt_1", oauth.Authorization{UserID: "usr_1", OrgID: "org_1"}, now)
	}
	deny := func(d *oauth.Device, now time.Time) error { return d.Deny("usr_2", "org_2", now) }
	for name, decide := range map[string]func(*oauth.Device, time.Time) error{"approved": approve, "denied": deny} {
		d := waiting()
		if err := decide(d, noon().Add(oauth.DeviceLife)); !errors.Is(err, oauth.ErrUserCode) {
			t.Errorf("%s too late: %v", name, err)
		}
		if err := decide(d, noon().Add(oauth.DeviceLife-1)); err != nil || string(d.Snapshot().Decision) != name {
			t.Errorf("%s in time: %v, %v", name, err, d.Snapshot().Decision)
		}
		for _, again := range []func(*oauth.Device, time.Time) error{approve, deny} {
			if err := again(d, noon()); !errors.Is(err, oauth.ErrUserCode) || string(d.Snapshot().Decision) != name {
				t.Errorf("%s, then again: %v", name, err)
			}
		}
		want := map[string]error{"approved": nil, "denied": oauth.ErrDeviceDenied}[name]
		if err := d.Poll(noon().Add(2 * oauth.DeviceLife)); !errors.Is(err, want) {
			t.Errorf("a question once it was %s: %v", name, err)
		}
	}
}
