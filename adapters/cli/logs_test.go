package cli_test

import (
	"strings"
	"testing"
	"time"
)

const (
	firstEvent  = `{"id":"evt_1","type":"role.created","timestamp":"2026-01-02T03:04:05.678Z","org_id":"org_1","data":{"org_id":"org_1","role":{"name":"a\u001b[2J"},"gone":null}}`
	secondEvent = `{"id":"evt_2","type":"spike.started","timestamp":"2026-01-02T03:04:06Z","org_id":null,"data":{"failures":400}}`
	endedFeed   = `{"ok":false,"command":"X","data":null,"error":{"code":"TOKEN_INVALID","message":"it has ended"}}`
)

// Events are followed page by page, over temporary failures, until the credential ends.
func TestLogsFollowEvents(t *testing.T) {
	t.Parallel()
	url, asked := telling(t, tooMany,
		envelope(`{"items":[`+firstEvent+`],"next_cursor":"more"}`), envelope(`{"items":[`+secondEvent+`],"next_cursor":null}`), endedFeed)
	got := session{}.run(t, "logs", "--url", url, "--token", "t", "--events", "role.*,spike.started", "--org", "org_1", "--since", "1h")
	if want := firstEvent + "\n" + secondEvent + "\n"; got.code != 1 || got.out != want || !strings.Contains(got.err, "it has ended") {
		t.Errorf("logs = %+v", got)
	}
	bodies := asked()
	if !strings.Contains(bodies[0], `"org_id":"org_1","types":["role.*","spike.started"],"from":"`+time.Now().Add(-time.Hour).UTC().Format("2006-01-02T")) ||
		!strings.Contains(bodies[2], `"cursor":"more"`) || !strings.Contains(bodies[3], `"after":"evt_2","wait_seconds":25`) {
		t.Errorf("asked %q", bodies)
	}
}

func TestLogsForms(t *testing.T) {
	t.Parallel()
	pages := []string{envelope(`{"items":[` + firstEvent + `],"next_cursor":"more"}`), envelope(`{"items":[` + secondEvent + `],"next_cursor":null}`)}
	const table = "2026-01-02 03:04:05  role.created                      org_id=org_1 role.name=a\\x1b[2J\n" +
		"2026-01-02 03:04:06  spike.started                     failures=400\n"
	for name, c := range map[string]struct {
		on   session
		args []string
		want string
	}{
		"table":    {session{terminal: true}, nil, table},
		"narrow":   {session{terminal: true, width: 70}, nil, strings.ReplaceAll(table, "org_id=org_1 role.name=a\\x1b[2J", "org_id=org_1 r…")},
		"JSON":     {session{terminal: true}, []string{"--json"}, firstEvent + "\n" + secondEvent + "\n"},
		"selected": {session{terminal: true}, []string{"--jq", "select(.data.failures > 1).id"}, "evt_2\n"},
	} {
		url, _ := telling(t, pages...)
		c.on.env = map[string]string{"NO_COLOR": "1"}
		if got := c.on.run(t, append([]string{"logs", "--no-follow", "--url", url}, c.args...)...); got.code != 0 || got.out != c.want {
			t.Errorf("%s = %+v, want %q", name, got, c.want)
		}
	}
	for _, args := range [][]string{{"--jq", "("}, {"--since", "-1h"}, {"--since", "soon"}} {
		if got := (session{}).run(t, append([]string{"logs"}, args...)...); got.code != 2 {
			t.Errorf("logs %q = %+v", args, got)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{loginCall: pair("1")})
	config := signedIn(t, g)
	var opened []string
	on := session{config: config, browser: func(address string) { opened = append(opened, address) }}
	if got := on.run(t, "open"); got.code != 0 || got.out != g.url+"/account\n" {
		t.Errorf("open = %+v", got)
	}
	if got := on.run(t, "open", "/docs/", "--url", "https://id.example.com/auth/"); got.code != 0 {
		t.Errorf("open = %+v", got)
	}
	if want := g.url + "/account https://id.example.com/auth/docs/"; strings.Join(opened, " ") != want {
		t.Errorf("opened %q, want %q", opened, want)
	}
	if got := (session{}).run(t, "open"); got.code != 0 || got.out != "http://localhost:8400/account\n" {
		t.Errorf("open without a browser = %+v", got)
	}
	for _, args := range [][]string{{"docs"}, {"--url", "file:///etc/passwd"}, {"--url", "-x"}} {
		if got := on.run(t, append([]string{"open"}, args...)...); got.code != 2 {
			t.Errorf("open %q = %+v", args, got)
		}
	}
	if got := on.run(t, "open", "--profile", "none"); got.code == 0 {
		t.Errorf("open --profile none = %+v", got)
	}
}
