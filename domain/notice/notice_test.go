package notice_test

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
)

const ada = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func TestDefinitions(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	kinds, raised := map[notice.Kind]bool{}, map[event.Kind]bool{}
	for _, of := range notice.All() {
		if kinds[of.Kind] || (of.RaisedBy != "" && raised[of.RaisedBy]) || !name.MatchString(string(of.Kind)) {
			t.Errorf("%s, raised by %q, is malformed or stands there twice", of.Kind, of.RaisedBy)
		}
		if of.Headline == "" || strings.HasSuffix(of.Headline, ".") || !strings.HasSuffix(of.Sentence, ".") {
			t.Errorf("%s says %q and %q", of.Kind, of.Headline, of.Sentence)
		}
		kinds[of.Kind], raised[of.RaisedBy] = true, true
		if found, known := notice.Find(of.Kind); !known || found != of {
			t.Errorf("Find(%s) = %+v, %v", of.Kind, found, known)
		}
		if got := notice.ByEvent()[of.RaisedBy]; of.RaisedBy != "" && got != of {
			t.Errorf("by %s is raised %+v", of.RaisedBy, got)
		}
	}
	if _, known := notice.Find("weather"); known {
		t.Error("an unknown kind is found")
	}
	if _, login := notice.ByEvent()[""]; login || len(notice.ByEvent()) != len(raised)-1 {
		t.Errorf("%d kinds of events raise notices", len(notice.ByEvent()))
	}
}

// What happens with every request or login raises none.
func TestHotEventsRaiseNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []event.Kind{"session.created", "session.refreshed", "login.succeeded", "login.failed", "m2m_token.issued", "mfa.challenged"} {
		if of, raises := notice.ByEvent()[kind]; raises {
			t.Errorf("%s raises %s", kind, of.Kind)
		}
	}
}

// Who acts on somebody else's account is not shown to its person.
func TestVisibleOrigin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		origin  event.Origin
		visible bool
	}{
		"the person":    {event.Origin{ActorKind: "user", ActorID: string(ada)}, true},
		"nobody known":  {event.Origin{ActorKind: "anonymous"}, true},
		"somebody else": {event.Origin{ActorKind: "user", ActorID: "usr_01jd7x9k2mf3q8v5t0abcdefgj"}, false},
		"an app":        {event.Origin{ActorKind: "app", ActorID: string(ada)}, false},
		"the service":   {event.Origin{ActorKind: "system"}, false},
	} {
		c.origin.IP, c.origin.UserAgent = "192.0.2.1", "curl/8"
		ip, agent := notice.VisibleOrigin(c.origin, ada)
		if visible := ip == "192.0.2.1" && agent == "curl/8"; visible != c.visible || (!visible && ip+agent != "") {
			t.Errorf("%s: told %q and %q", name, ip, agent)
		}
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	of, _ := notice.Find(notice.NewDevice)
	full := notice.Snapshot{IP: "192.0.2.1", UserAgent: "curl/8", CreatedAt: noon().In(time.FixedZone("", 3600))}.Facts(of)
	want := map[string]string{"headline": of.Headline, "detail": of.Sentence, "when": "November 21, 2026, 12:00 UTC", "device": "curl", "ip": "192.0.2.1"}
	if !maps.Equal(full, want) {
		t.Errorf("facts = %v, want %v", full, want)
	}
	delete(want, "device")
	delete(want, "ip")
	if bare := (notice.Snapshot{CreatedAt: noon()}).Facts(of); !maps.Equal(bare, want) {
		t.Errorf("facts = %v, want %v", bare, want)
	}
}

func TestMeet(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		client     notice.Client
		longest    time.Duration
		news, note bool
	}{
		"the very first":                  {notice.Client{First: true}, day, false, true},
		"one used today":                  {notice.Client{SeenAt: noon().Add(-time.Hour)}, day, false, false},
		"another":                         {notice.Client{}, day, true, true},
		"one from long ago":               {notice.Client{SeenAt: noon().Add(-100 * day)}, 9 * day, true, true},
		"one from long ago, to the day":   {notice.Client{SeenAt: noon().Add(-100 * day)}, 10 * day, true, true},
		"one whose session may have been": {notice.Client{SeenAt: noon().Add(-100 * day)}, 11 * day, false, true},
		"a day later":                     {notice.Client{SeenAt: noon().Add(-day)}, day, false, true},
	} {
		news, note := c.client.Meet(c.longest, noon())
		if news != c.news || note != c.note {
			t.Errorf("%s: news %v, note %v, want %v and %v", name, news, note, c.news, c.note)
		}
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	p := notice.NoPreferences(ada)
	device, _ := notice.Find(notice.NewDevice)
	password, _ := notice.Find(notice.PasswordChanged)
	set := func(wishes notice.PreferenceChanges, mails bool, changed ...notice.Kind) {
		t.Helper()
		if err := p.Set(wishes); err != nil {
			t.Fatal(err)
		}
		if p.Mails(device) != mails || p.Show()[notice.NewDevice] != mails {
			t.Errorf("after %v it is mailed: %v", wishes, p.Mails(device))
		}
		raised := p.Stored()
		switch {
		case len(changed) == 0 && len(raised) == 0:
		case len(raised) == 1 && slices.Equal(raised[0].(notice.PreferenceSet).Changed, changed):
		default:
			t.Errorf("after %v raised %+v, want %v", wishes, raised, changed)
		}
	}
	set(notice.PreferenceChanges{notice.NewDevice: nil}, true)
	set(notice.PreferenceChanges{notice.NewDevice: &no, notice.DeviceTrusted: &yes}, false, notice.DeviceTrusted, notice.NewDevice)
	set(notice.PreferenceChanges{notice.NewDevice: &no}, false)
	set(notice.PreferenceChanges{notice.NewDevice: &yes}, true, notice.NewDevice)
	set(notice.PreferenceChanges{notice.NewDevice: nil, notice.PasswordChanged: &yes}, true, notice.NewDevice)
	set(notice.PreferenceChanges{notice.PasswordChanged: nil}, true)
	err := p.Set(notice.PreferenceChanges{notice.PasswordChanged: &no, "weather": &yes, notice.NewDevice: &no})
	var refused *fault.Error
	if !errors.As(err, &refused) || len(refused.Fields) != 2 || refused.Fields[0].Path != "/preferences/password_changed" ||
		refused.Fields[1].Path != "/preferences/weather" || !strings.Contains(refused.Fields[0].Message, "always emailed") {
		t.Errorf("Set() = %v", err)
	}
	if p.Changed() || !p.Mails(device) || len(p.Show()) != len(notice.All()) {
		t.Error("what was refused changed something")
	}
	// What was stored before a kind became vital does not decline it.
	odd := notice.RestorePreferences(notice.PreferencesSnapshot{UserID: ada, Mail: map[notice.Kind]bool{notice.PasswordChanged: false}}, 1)
	if !odd.Mails(password) {
		t.Error("a vital notice is declined")
	}
}
