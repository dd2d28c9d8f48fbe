package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/domain/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExecCalls(t *testing.T) {
	t.Parallel()
	s := newService(t, 200, fine)
	got := session{env: map[string]string{"GATEHOUSE_URL": s.url + "/", "GATEHOUSE_TOKEN": " tok-1\n"}}.run(t,
		"exec", "APP.REGISTER", "name=a,b=c", "--dry-run", `redirect_urls=["https://a.test"]`, "--idempotency-key", "k=1", "limit=-5")
	if got.code != 0 || got.out != fine+"\n" || got.err != "" {
		t.Fatalf("exec = %+v", got)
	}
	want := `POST /api/v1/execute {"command":"APP.REGISTER","params":{"name":"a,b=c","redirect_urls":["https://a.test"],"limit":-5},"dry_run":true}`
	if s.bodies[0] != want {
		t.Errorf("body = %s\nwant   %s", s.bodies[0], want)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer tok-1", "Idempotency-Key": "k=1", "Content-Type": "application/json", "User-Agent": "gatehouse/v0.4.0",
	} {
		if got := s.header.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
}

func TestExecFlagsBeatTheEnvironment(t *testing.T) {
	t.Parallel()
	s := newService(t, 200, fine)
	got := session{env: map[string]string{"GATEHOUSE_URL": "http://127.0.0.1:1", "GATEHOUSE_TOKEN": "old"}}.run(t,
		"exec", "--url="+s.url, "USER.ME", "--token", "new")
	if got.code != 0 || s.header.Get("Authorization") != "Bearer new" {
		t.Errorf("exec = %+v, Authorization = %q", got, s.header.Get("Authorization"))
	}
}

func TestExecOnATerminal(t *testing.T) {
	t.Parallel()
	s := newService(t, 200, fine)
	const pretty = "\x1b[2mb\x1b[0m  1\n\x1b[2ma\x1b[0m  2, <é>\n"
	if got := (session{terminal: true}).run(t, "exec", "USER.ME", "--url", s.url); got.out != pretty {
		t.Errorf("out = %s", got.out)
	}
	if got := (session{terminal: true}).run(t, "exec", "USER.ME", "--json", "--url", s.url); got.out != fine+"\n" {
		t.Errorf("out = %s", got.out)
	}
}

func TestExecRefused(t *testing.T) {
	t.Parallel()
	const no = `{"ok":false,"command":"X","data":null,"error":{"code":"AUTH_ERROR","message":"no"}}`
	s := newService(t, 401, no)
	if got := (session{}).run(t, "exec", "USER.ME", "--url", s.url, "--token", "tok-9"); got.code != 1 || got.out != no+"\n" || got.err != "" {
		t.Errorf("exec = %+v", got)
	}
}

func TestExecUnreachable(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*service{
		"html":           newService(t, 502, "<html>bad gateway</html>"),
		"empty":          newService(t, 200, ""),
		"other json":     newService(t, 200, `{"ok":true}`),
		"redirect":       newService(t, 307, ""),
		"three keys":     newService(t, 200, `{"ok":true,"command":"X","error":null}`),
		"two keys ok":    newService(t, 200, `{"ok":true,"ok":false,"command":"","data":null,"error":null}`),
		"trailing":       newService(t, 200, fine+"x"),
		"nobody listens": {url: "http://127.0.0.1:1"},
		"no such host":   {url: "http://gatehouse.invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := session{}.run(t, "exec", "USER.ME", "--url", s.url, "--token", "tok-9")
			if got.code != 3 || got.out != "" || !strings.HasPrefix(got.err, "gatehouse: ") || strings.Count(got.err, "\n") != 1 {
				t.Errorf("exec = %+v", got)
			}
			if strings.Contains(got.err, "tok-9") {
				t.Errorf("err = %s", got.err)
			}
			if len(s.bodies) > 1 {
				t.Errorf("the redirect was followed: %q", s.bodies)
			}
		})
	}
}

func TestExecParams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := map[string]struct {
		in   string
		args []string
		want string
	}{
		"none":               {"", nil, `{}`},
		"text":               {"", []string{"name=5"}, `{"name":"5"}`},
		"empty text":         {"", []string{"name="}, `{"name":""}`},
		"text with quotes":   {"", []string{`name="a"`}, `{"name":"\"a\""}`},
		"nullable is text":   {"", []string{"note=null"}, `{"note":"null"}`},
		"integer":            {"", []string{"limit=5"}, `{"limit":5}`},
		"negative integer":   {"", []string{"limit=-5"}, `{"limit":-5}`},
		"number":             {"", []string{"ratio=1e-3"}, `{"ratio":1e-3}`},
		"boolean":            {"", []string{"public=false"}, `{"public":false}`},
		"array":              {"", []string{`redirect_urls=[]`}, `{"redirect_urls":[]}`},
		"object":             {"", []string{`metadata={"a":{"b":[1]}}`}, `{"metadata":{"a":{"b":[1]}}}`},
		"null where allowed": {"", []string{"when=null"}, `{"when":null}`},
		"integer of either":  {"", []string{"either=5"}, `{"either":5}`},
		"text of either":     {"", []string{"either=five"}, `{"either":"five"}`},
		"anything as json":   {"", []string{"any=[1]"}, `{"any":[1]}`},
		"anything as text":   {"", []string{"any=word"}, `{"any":"word"}`},
		"text of a file":     {"", []string{"name=@" + file("text", "a\nb\r\n")}, `{"name":"a\nb"}`},
		"json of a file":     {"", []string{"metadata=@" + file("json", "{\"a\": 1}\n")}, `{"metadata":{"a": 1}}`},
		"stdin value":        {"hunter2\n", []string{"name=@-"}, `{"name":"hunter2"}`},
		"two at signs":       {"", []string{"name=@@home"}, `{"name":"@home"}`},
		"all from stdin":     {" {\"name\": \"x\"}\n", []string{"-"}, `{"name": "x"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, 200, fine)
			got := session{in: c.in}.run(t, append([]string{"exec", "--url", s.url, "APP.REGISTER"}, c.args...)...)
			if got.code != 0 || len(s.bodies) != 1 {
				t.Fatalf("exec = %+v", got)
			}
			if want := `POST /api/v1/execute {"command":"APP.REGISTER","params":` + c.want + `}`; s.bodies[0] != want {
				t.Errorf("body = %s\nwant   %s", s.bodies[0], want)
			}
		})
	}
}

func TestExecAsksForASecret(t *testing.T) {
	t.Parallel()
	s := newService(t, 200, fine)
	got := session{in: "not this", typed: []string{"hunter2"}}.run(t, "exec", "AUTH.LOGIN", "password=@-", "--url", s.url)
	if got.code != 0 || !strings.Contains(s.bodies[0], `"password":"hunter2"`) {
		t.Errorf("exec = %+v, %q", got, s.bodies)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "binary")
	if err := os.WriteFile(binary, []byte("\xff\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		in   string
		args []string
		want string
	}{
		"unknown subcommand":     {"", []string{"exce"}, "unexpected argument exce"},
		"unknown flag":           {"", []string{"exec", "USER.ME", "--tokn=x"}, "unknown flag --tokn"},
		"no command":             {"", []string{"exec"}, `expected "<command>`},
		"unknown command":        {"", []string{"exec", "USER.MEE"}, `unknown command "USER.MEE"; did you mean USER.ME?`},
		"far from any":           {"", []string{"exec", "BILLING.REFUND"}, `unknown command "BILLING.REFUND": run gatehouse commands`},
		"unknown parameter":      {"", []string{"exec", "AUTH.LOGIN", "emial=x"}, `unknown parameter "emial"; did you mean email?`},
		"twice":                  {"", []string{"exec", "AUTH.LOGIN", "email=x", "email=y"}, "duplicate parameter email"},
		"no value":               {"", []string{"exec", "AUTH.LOGIN", "hunter2"}, "write name=value"},
		"no name":                {"", []string{"exec", "AUTH.LOGIN", "=hunter2"}, "write name=value"},
		"integer":                {"", []string{"exec", "APP.REGISTER", "limit=hunter2"}, "limit must be JSON of type integer"},
		"fraction":               {"", []string{"exec", "APP.REGISTER", "limit=1.5"}, "of type integer"},
		"boolean":                {"", []string{"exec", "APP.REGISTER", "public=yes"}, "of type boolean"},
		"array":                  {"", []string{"exec", "APP.REGISTER", "redirect_urls=a"}, "of type array of string"},
		"object":                 {"", []string{"exec", "APP.REGISTER", `metadata={"a":1,"a":2}`}, "of type object"},
		"or null":                {"", []string{"exec", "APP.REGISTER", "when=soon"}, "of type integer or null"},
		"empty integer":          {"", []string{"exec", "APP.REGISTER", "limit="}, "of type integer"},
		"invalid text":           {"", []string{"exec", "APP.REGISTER", "name=\xff"}, "UTF-8"},
		"invalid file":           {"", []string{"exec", "APP.REGISTER", "name=@" + binary}, "UTF-8"},
		"no file":                {"", []string{"exec", "APP.REGISTER", "name=@" + dir + "/none"}, "no such file"},
		"no file name":           {"", []string{"exec", "APP.REGISTER", "name=@"}, "is missing a file name"},
		"stdin for two":          {"x", []string{"exec", "AUTH.LOGIN", "email=@-", "password=@-"}, "both email and password"},
		"stdin and words":        {"{}", []string{"exec", "AUTH.LOGIN", "email=x", "-"}, "reads all parameters"},
		"stdin is no object":     {"[]", []string{"exec", "AUTH.LOGIN", "-"}, "must contain a JSON object"},
		"stdin is empty":         {"", []string{"exec", "AUTH.LOGIN", "-"}, "must contain a JSON object"},
		"stdin is too large":     {strings.Repeat("x", 1<<20+1), []string{"exec", "AUTH.LOGIN", "-"}, "larger than"},
		"address without scheme": {"", []string{"exec", "USER.ME", "--url", "localhost:8400"}, "must start with http"},
		"address with password":  {"", []string{"exec", "USER.ME", "--url", "http://u:hunter2@h"}, "must not contain user info"},
		"address with query":     {"", []string{"exec", "USER.ME", "--url", "http://h/?token=hunter2"}, "must not contain user info, query"},
		"unknown family":         {"", []string{"commands", "--family", "AUHT"}, `unknown family "AUHT"; did you mean AUTH?`},
		"unknown shell":          {"", []string{"completion", "tcsh"}, "must be one of"},
		"admin without email":    {"", []string{"admin", "create"}, "missing flags: --email"},
		"admin, nothing piped":   {"", []string{"admin", "create", "--email", "a@b.c"}, "is missing: write it to standard input"},
		"help of no command":     {"", []string{"exec", "USER.MEE", "--help"}, "did you mean USER.ME?"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := session{in: c.in}.run(t, c.args...)
			if got.code != 2 || got.out != "" || !strings.Contains(got.err, c.want) {
				t.Errorf("%q = %+v, want %q", c.args, got, c.want)
			}
			if strings.Contains(got.err, "hunter2") {
				t.Errorf("err = %s", got.err)
			}
		})
	}
}

func TestSubcommands(t *testing.T) {
	t.Parallel()
	var called []string
	var guard sync.Mutex
	note := func(what string, err error) error {
		guard.Lock()
		defer guard.Unlock()
		called = append(called, what)
		return err
	}
	program := cli.Program{
		Dev:     func(context.Context) error { return note("dev", nil) },
		Serve:   func(context.Context) error { return note("serve", errors.New("JWT_SECRET: is missing")) },
		Migrate: func(context.Context) error { return note("migrate", nil) },
		CreateAdmin: func(_ context.Context, email string, password secret.String) error {
			return note("admin "+email+" "+password.Reveal(), nil)
		},
		Backup: func(_ context.Context, file string, force bool) error {
			return note(fmt.Sprint("backup ", file, " ", force), nil)
		},
		Restore: func(_ context.Context, file string, force bool) error {
			return note(fmt.Sprint("restore ", file, " ", force), errors.New("in use"))
		},
		Reencrypt: func(_ context.Context, progress func(int)) error {
			progress(100)
			progress(250)
			return note("reencrypt", nil)
		},
	}
	cases := []struct {
		session session
		args    []string
		want    outcome
		called  string
	}{
		{session{}, []string{"dev"}, outcome{0, "", ""}, "dev"},
		{session{}, []string{"serve"}, outcome{1, "", "gatehouse: JWT_SECRET: is missing\n"}, "serve"},
		{session{}, []string{"migrate"}, outcome{0, "", ""}, "migrate"},
		{session{}, []string{"version"}, outcome{0, "gatehouse v0.4.0\n", ""}, ""},
		{session{}, []string{"--version"}, outcome{0, "gatehouse v0.4.0\n", ""}, ""},
		{session{}, []string{"backup", "f"}, outcome{0, "saved the backup to f\n", ""}, "backup f false"},
		{session{}, []string{"backup", "--force", "f"}, outcome{0, "saved the backup to f\n", ""}, "backup f true"},
		{session{}, []string{"restore", "f", "--force"}, outcome{1, "", "gatehouse: in use\n"}, "restore f true"},
		{session{in: "correct horse\n"}, []string{"admin", "create", "--email=a@b.c"}, outcome{0, "created the superadmin a@b.c\n", ""}, "admin a@b.c correct horse"},
		{session{typed: []string{"pw", "pw"}}, []string{"admin", "create", "--email=a@b.c"}, outcome{0, "created the superadmin a@b.c\n", ""}, "admin a@b.c pw"},
		{session{typed: []string{"pw", "pv"}}, []string{"admin", "create", "--email=a@b.c"}, outcome{1, "", "gatehouse: the passwords do not match\n"}, ""},
		{session{typed: []string{"", ""}}, []string{"admin", "create", "--email=a@b.c"}, outcome{2, "", "gatehouse: the password is empty\n"}, ""},
		{session{typed: []string{}}, []string{"admin", "create", "--email=a@b.c"}, outcome{1, "", "gatehouse: read the password: EOF\n"}, ""},
		{session{}, []string{"keys", "reencrypt"}, outcome{0, "re-encrypted 250 values with the newest key\n", ""}, "reencrypt"},
		{session{terminal: true}, []string{"keys", "reencrypt"}, outcome{0, "re-encrypted 250 values with the newest key\n", "\r100 values re-encrypted\r250 values re-encrypted\n"}, "reencrypt"},
	}
	for _, c := range cases {
		called = nil
		c.session.program = program
		if got := c.session.run(t, c.args...); got != c.want {
			t.Errorf("%q = %+v, want %+v", c.args, got, c.want)
		}
		if got := strings.Join(called, ";"); got != c.called {
			t.Errorf("%q called %q, want %q", c.args, got, c.called)
		}
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	program := cli.Program{Serve: func(ctx context.Context) error { return ctx.Err() }}
	if got := (session{ctx: ctx, program: program}).run(t, "serve"); got != (outcome{}) {
		t.Errorf("serve = %+v", got)
	}
	if got := (session{ctx: ctx}).run(t, "exec", "USER.ME"); got.code != 3 {
		t.Errorf("exec = %+v", got)
	}
}
