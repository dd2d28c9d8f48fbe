package cli_test

import (
	"testing"
)

func TestPagesOfAList(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{
		"USER.LIST":                      yes(`{"items":[{"id":"usr_0"}],"next_cursor":"c-0"}`),
		"USER.LIST limit=200":            yes(`{"items":[{"id":"usr_1","name":"Ada","address":{"city":"Rome"}}],"next_cursor":"c-1"}`),
		"USER.LIST limit=200 cursor=c-1": yes(`{"items":[{"id":"usr_2","name":"Bob"}],"next_cursor":null}`),
		"USER.LIST limit=1 in org_9":     yes(`{"items":[{"id":"usr_3"}],"next_cursor":null}`),
	})
	page := func(data string) string { return yes(data) + "\n" }
	for name, c := range map[string]struct {
		terminal bool
		args     []string
		want     string
	}{
		"table":     {true, []string{"--all"}, "id     name  address.city\nusr_1  Ada   Rome\nusr_2  Bob   -\n"},
		"columns":   {true, []string{"--all", "--columns", "name,address.city,id"}, "name  address.city  id\nAda   Rome          usr_1\nBob   -             usr_2\n"},
		"json":      {true, []string{"--all", "--json"}, page(`{"items":[{"id":"usr_1","name":"Ada","address":{"city":"Rome"}}],"next_cursor":"c-1"}`) + page(`{"items":[{"id":"usr_2","name":"Bob"}],"next_cursor":null}`)},
		"jq":        {false, []string{"--all", "--jq", ".items[] | .id, .name"}, "usr_1\nAda\nusr_2\nBob\n"},
		"first":     {false, []string{"--jq", ".items | length"}, "1\n"},
		"workspace": {false, []string{"limit=1", "--all", "--org=org_9", "--jq=.items[0].id"}, "usr_3\n"},
		"objects":   {false, []string{"--jq", ".items[0]"}, "{\"id\":\"usr_0\"}\n"},
	} {
		got := session{terminal: c.terminal, env: map[string]string{"NO_COLOR": "1"}}.run(t, append([]string{"exec", "USER.LIST", "--url", g.url}, c.args...)...)
		if got.code != 0 || got.out != c.want {
			t.Errorf("%s = %+v, want\n%s", name, got, c.want)
		}
	}
	g.guard.Lock()
	g.calls = nil
	g.guard.Unlock()
	for _, args := range [][]string{
		{"USER.ME", "--all"}, {"USER.ME", "--columns=id"}, {"USER.LIST", "--columns", "nam"}, {"USER.LIST", "--jq", ".["}, {"USER.LIST", "--jq", "nothing"},
	} {
		if got := (session{}).run(t, append([]string{"exec", "--url", g.url}, args...)...); got.code != 2 {
			t.Errorf("exec %q = %+v", args, got)
		}
	}
	g.expect(t)
}

// Large numbers are not rounded, and a refusal is no input.
func TestSelecting(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{"USER.ME": yes(`{"n":12345678901234567890,"text":"a\u001b[2J"}`)})
	if got := (session{}).run(t, "exec", "USER.ME", "--url", g.url, "--jq", ".n"); got.out != "12345678901234567890\n" {
		t.Errorf("a number = %+v", got)
	}
	if got := (session{terminal: true}).run(t, "exec", "USER.ME", "--url", g.url, "--jq", ".text"); got.out != "a\\x1b[2J\n" {
		t.Errorf("a text = %+v", got)
	}
	if got := (session{}).run(t, "exec", "USER.ME", "--url", g.url, "--jq", ".n.x"); got.code != 1 {
		t.Errorf("an error = %+v", got)
	}
	if got := (session{}).run(t, "exec", "USER.LIST", "--url", g.url, "--jq", ".items"); got.code != 1 || got.out != "" || got.err == "" {
		t.Errorf("a refusal = %+v", got)
	}
}
