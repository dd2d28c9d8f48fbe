package cli_test

import (
	"strings"
	"testing"
)

func TestAnswersOnATerminal(t *testing.T) {
	t.Parallel()
	const people = `{"items":[{"id":"usr_1","name":"Ada \u001b[31m\u202e","address":{"city":"Rome"},"tags":["a","b"]},{"id":"usr_2","name":null}],"next_cursor":"c-1"}`
	cases := map[string]struct {
		data  string
		width int
		want  string
	}{
		"list": {people, 0, "" +
			"id     name                address.city  tags\n" +
			"usr_1  Ada \\x1b[31m\\u202e  Rome          a, b\n" +
			"usr_2  -                   -             -\n" +
			"\nnext page  cursor=c-1\n"},
		"too wide": {people, 30, "" +
			"id     name\n" +
			"usr_1  Ada \\x1b[31m\\u202e\n" +
			"usr_2  -\n" +
			"more columns: address.city, tags (--columns)\n" +
			"\nnext page  cursor=c-1\n"},
		"narrow": {`{"items":[{"id":"` + strings.Repeat("x", 50) + `","on":true}]}`, 20, "" +
			"id\n" + strings.Repeat("x", 39) + "…\nmore columns: on (--columns)\n"},
		"last page":  {`{"items":[{"id":"x"}],"next_cursor":null}`, 0, "id\nx\n"},
		"no items":   {`{"items":[]}`, 0, "none\n"},
		"texts":      {`{"items":["a","b"]}`, 0, "value\na\nb\n"},
		"object":     {`{"user":{"id":"usr_1","on":true,"none":{}},"text":"","n":1.5}`, 0, "user.id    usr_1\nuser.on    true\nuser.none  {}\ntext       \"\"\nn          1.5\n"},
		"with lists": {`{"app":{"id":"a"},"secrets":[{"id":"s","of":[{"x":1}]}]}`, 0, "app.id  a\n\nsecrets\nid  of\ns   [{\"x\":1}]\n"},
		"nothing":    {`{}`, 0, "done\n"},
		"null":       {`null`, 0, "done\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, 200, yes(c.data))
			on := session{terminal: true, width: c.width, env: map[string]string{"NO_COLOR": "1"}}
			if got := on.run(t, "exec", "USER.ME", "--url", s.url); got.code != 0 || got.out != c.want {
				t.Errorf("out =\n%s\nwant\n%s", got.out, c.want)
			}
			if got := on.run(t, "exec", "USER.ME", "--json", "--url", s.url); !strings.HasPrefix(got.out, `{"ok":true,`) {
				t.Errorf("--json = %s", got.out)
			}
			on.terminal = false
			if got := on.run(t, "exec", "USER.ME", "--url", s.url); !strings.HasPrefix(got.out, `{"ok":true,`) {
				t.Errorf("piped = %s", got.out)
			}
		})
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	const fields = `{"ok":false,"command":"X","data":null,"error":{"code":"VALIDATION_ERROR","message":"2 parameters are wrong","fields":[
		{"path":"/name","message":"is required"},{"path":"/redirect_urls/1/a~1b","message":"is too long"}]}}`
	cases := map[string]struct {
		command, answer string
		env             map[string]string
		want            string
	}{
		"no session": {"USER.ME", no("AUTH_ERROR", "sign in"), nil, "" +
			"gatehouse: sign in\nRun gatehouse login to sign in, or set GATEHOUSE_TOKEN to an API key.\n"},
		"public":     {"AUTH.LOGIN", no("AUTH_ERROR", "wrong"), nil, "gatehouse: wrong\n"},
		"permission": {"APP.REGISTER", no("PERMISSION_DENIED", "denied"), nil, "gatehouse: denied\nAPP.REGISTER requires: permission:apps:write.\n"},
		"parameters": {"app.register", fields, nil, "gatehouse: invalid parameters\n" +
			"  name=                 is required\n  redirect_urls[1].a/b  is too long\nRun gatehouse exec APP.REGISTER --help to list the parameters.\n"},
	}
	for name, c := range cases {
		s := newService(t, 400, c.answer)
		got := session{terminal: true, env: map[string]string{"NO_COLOR": "1"}}.run(t, "exec", c.command, "--url", s.url)
		if got != (outcome{1, "", c.want}) {
			t.Errorf("%s: exec = %+v\nwant %s", name, got, c.want)
		}
	}
	s := newService(t, 200, yes(`{"items":[{"id":"x"}]}`))
	if got := (session{terminal: true}).run(t, "exec", "USER.ME", "--url", s.url); got.out != "\x1b[1mid\x1b[0m\nx\n" {
		t.Errorf("in color = %q", got.out)
	}
	s = newService(t, 401, no("AUTH_ERROR", "sign in"))
	if got := (session{terminal: true}).run(t, "exec", "USER.ME", "--url", s.url); !strings.Contains(got.err, "\x1b[31mgatehouse:\x1b[0m sign in\n") {
		t.Errorf("in color = %q", got.err)
	}
}
