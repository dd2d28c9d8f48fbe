package mail_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/workspace"
)

func TestPauseGrowsAndEnds(t *testing.T) {
	t.Parallel()
	want := map[int]time.Duration{1: time.Minute, 2: 5 * time.Minute, 3: 30 * time.Minute, 4: 2 * time.Hour}
	for attempt := -1; attempt <= mail.MaxAttempts+1; attempt++ {
		pause, again := want[attempt], want[attempt] > 0
		low, ok := mail.Pause(attempt, 0)
		high, _ := mail.Pause(attempt, 255)
		if ok != again || low != pause-pause/10 || high != pause+pause/10 {
			t.Errorf("attempt %d: %v to %v, %t", attempt, low, high, ok)
		}
		if middle, _ := mail.Pause(attempt, 127); middle < pause-pause/100 || middle > pause {
			t.Errorf("attempt %d: %v in the middle, want about %v", attempt, middle, pause)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	const unreached = "the mail server could not be reached or did not answer in time"
	tests := []struct {
		name    string
		err     error
		attempt int
		want    mail.Outcome
	}{
		{"taken", nil, 3, mail.Outcome{Status: mail.Sent}},
		{"down", errors.New("dial tcp 10.1.2.3:25: refused"), 1, mail.Outcome{Status: mail.Queued, RetryAt: now.Add(54 * time.Second), Why: unreached}},
		{"down for good", errors.New("x"), 5, mail.Outcome{Status: mail.Failed, Why: unreached}},
		{"later", &mail.Refused{Text: "451"}, 1, mail.Outcome{Status: mail.Queued, RetryAt: now.Add(54 * time.Second), Why: "451"}},
		{"too often later", &mail.Refused{Text: "451"}, 5, mail.Outcome{Status: mail.Failed, Why: "451"}},
		{"never", &mail.Refused{Permanent: true, Text: "550"}, 1, mail.Outcome{Status: mail.Failed, Why: "550"}},
	}
	for _, test := range tests {
		if got := mail.After(test.err, test.attempt, 0, now); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// drawn returns bytes that a test chose.
type drawn struct{ words [][]byte }

func (d *drawn) Bytes(int) []byte {
	next := d.words[0]
	d.words = d.words[1:]
	return next
}

func TestCodesAreDrawnEvenly(t *testing.T) {
	t.Parallel()
	tests := map[string][][]byte{
		"000000": {{0, 0, 0, 0}},
		"000042": {{0, 0, 0, 42}},
		"999999": {{0, 0x0f, 0x42, 0x3f}},
		// 4,294,000,000 and above would make the first codes likelier.
		"000007": {{0xff, 0xf1, 0x3d, 0x80}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 7}},
		"967295": {{0xff, 0xff, 0xff, 0xff}, {0, 0x0e, 0xc2, 0x7f}},
	}
	for want, words := range tests {
		if got := mail.NewCode(&drawn{words}); got != want {
			t.Errorf("code %s, want %s", got, want)
		}
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][]string{
		"": {""}, "de": {"de", ""}, "DE-ch": {"de-ch", "de", ""}, "zh-Hant-TW": {"zh-hant-tw", "zh", ""},
	} {
		if got := mail.Languages(tag); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	const own, other = workspace.ID("org_a"), workspace.ID("org_b")
	all := []mail.Override{{Org: other, Locale: "de"}, {Locale: "de"}, {Org: own}, {}, {Org: own, Locale: "de"}, {Org: own, Locale: "de-ch"}}
	for _, want := range []mail.Override{{Org: own, Locale: "de-ch"}, {Org: own, Locale: "de"}, {Org: own}, {Locale: "de"}, {}} {
		if got, found := mail.Choose(all, own, "de-CH"); !found || got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		all = slices.DeleteFunc(all, func(o mail.Override) bool { return o == want })
	}
	if got, found := mail.Choose(all, own, "de-CH"); found {
		t.Errorf("%+v of somebody else is taken", got)
	}
}

func TestRequestsOfTheInstanceTakeNoWorkspacesTemplate(t *testing.T) {
	t.Parallel()
	if got, found := mail.Choose([]mail.Override{{Org: "org_a"}}, "", ""); found {
		t.Errorf("%+v is taken", got)
	}
}

func TestEventsTellNoAddress(t *testing.T) {
	t.Parallel()
	kinds := map[event.Kind]bool{}
	for _, one := range mail.Events() {
		if one.Summary == "" || kinds[one.Example.Kind()] {
			t.Errorf("%+v", one)
		}
		kinds[one.Example.Kind()] = true
		failed := one.Example.Kind() == mail.KindFailed
		if concern := event.ConcernOf(one.Example); concern.Failed != failed || failed != (concern.UserID != "") {
			t.Errorf("%s concerns %+v", one.Example.Kind(), concern)
		}
	}
	if len(kinds) != 6 {
		t.Errorf("%d kinds, want 6", len(kinds))
	}
}

func TestTemplatesAreListedOnce(t *testing.T) {
	t.Parallel()
	all := mail.Templates()
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("templates %q", all)
	}
}
