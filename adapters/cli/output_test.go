package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const loginHelp = `AUTH.LOGIN: Log in with a password.

  Access  public
  Effect  store
  Limit   10 per 60 s, by ip
  Events  session.created, login.failed

Parameters
  email     string  required  Address of the account. (email)
  password  string  required  Its password.

Result
  access_token  string   For the Authorization header.
  expires_in    integer  Seconds.

Example
  gatehouse exec AUTH.LOGIN email=alice@example.com password='correct horse'
`

const registerHelp = `APP.REGISTER: Register an application.

  Access  permission:apps:write
  Effect  store

Parameters
  name           string             required  Name.
  redirect_urls  array of string    required  Where logins may return to.
  kind           string             optional  What it is. (one of web, native; default "web")
  note           string or null     optional  Anything.
  limit          integer            optional  How many. (1 to 200)
  ratio          number             optional  A share.
  public         boolean            optional  Whether it keeps no secret.
  metadata       object             optional  Your own.
  when           integer or null    optional  Later.
  either         integer or string  optional  One or the other.
  any            any                optional  Whatever.

Result
  app         object           ` + `
  app.id      string           Identifier. (uuid)
  app.slug    string           ` + `
  keys        array of object  ` + `
  keys[].kid  string           ` + `

Example
  gatehouse exec APP.REGISTER limit=5 name='My app'\''s' redirect_urls='["https://a.test/cb"]'
`

// trimmed removes trailing blanks of lines, like the program.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestHelpOfACommand(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"AUTH.LOGIN": loginHelp, "APP.REGISTER": trimmed(registerHelp)} {
		for _, args := range [][]string{{"exec", name, "--help"}, {"exec", "--help", name}, {"exec", name, "email=x", "-h"}} {
			if got := (session{}).run(t, args...); got.code != 0 || got.out != want || got.err != "" {
				t.Errorf("%q = %d\n%s%s\nwant\n%s", args, got.code, got.out, got.err, want)
			}
		}
	}
	if got := (session{}).run(t, "exec", "USER.ME", "--help"); !strings.Contains(got.out, "Parameters\n  none\n") {
		t.Errorf("out = %s", got.out)
	}
}

func TestGeneralHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--help"}, {"-h"}} {
		got := session{}.run(t, args...)
		for _, want := range []string{"dev", "serve", "migrate", "admin create", "exec ", "logs", "open ", "login", "logout", "profiles", "backup ", "restore ", "commands", "keys reencrypt", "version", "completion "} {
			if !strings.Contains(got.out, "\n  "+want) {
				t.Errorf("help %q lacks %q:\n%s", args, want, got.out)
			}
		}
		if got.code != 0 {
			t.Errorf("help = %d", got.code)
		}
	}
	got := session{env: map[string]string{"GATEHOUSE_TOKEN": "tok-9"}}.run(t, "exec", "--help")
	if got.code != 0 || !strings.Contains(got.out, "--idempotency-key") || strings.Contains(got.out, "tok-9") {
		t.Errorf("exec --help = %+v", got)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		args []string
		want string
	}{
		"table": {nil, "" +
			"  APP.REGISTER         permission:apps:write  Register an application.\n  AUTH.LOGIN           public                 Log in with a password.\n" +
			"  AUTH.REAUTHENTICATE  user                   Prove that it is you.\n  USER.LIST            permission:users:read  List accounts.\n  USER.ME              user                   Your profile.\n"},
		"family": {[]string{"--family", "user"}, "  USER.LIST  permission:users:read  List accounts.\n  USER.ME    user                   Your profile.\n"},
		"names":  {[]string{"--names"}, "APP.REGISTER\nAUTH.LOGIN\nAUTH.REAUTHENTICATE\nUSER.LIST\nUSER.ME\n"},
		"params": {[]string{"--params-of", "auth.login"}, "email=\npassword=\n"},
		"values": {[]string{"--params-of", "APP.REGISTER", "--values-of", "kind"}, "web\nnative\n"},
		"truth":  {[]string{"--params-of", "APP.REGISTER", "--values-of", "public"}, "true\nfalse\n"},
		"free":   {[]string{"--params-of", "APP.REGISTER", "--values-of", "name"}, ""},
	}
	for name, c := range cases {
		if got := (session{}).run(t, append([]string{"commands"}, c.args...)...); got.code != 0 || got.out != c.want {
			t.Errorf("%s = %+v", name, got)
		}
	}
	var listed []struct{ Name string }
	if err := json.Unmarshal([]byte(session{}.run(t, "commands", "--json").out), &listed); err != nil || len(listed) != 5 || listed[1].Name != "AUTH.LOGIN" {
		t.Errorf("commands --json = %+v, %v", listed, err)
	}
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		got := session{}.run(t, "completion", shell)
		for _, want := range []string{"completion", "reencrypt", "commands --names", "commands --params-of", "idempotency-key"} {
			if got.code != 0 || !strings.Contains(got.out, want) {
				t.Errorf("completion %s lacks %q", shell, want)
			}
		}
	}
}

// The bash script is run in bash, with a stub for the program.
func TestBashCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "completion.bash")
	if err := os.WriteFile(script, []byte(session{}.run(t, "completion", "bash").out), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"gatehouse ex":                         "exec",
		"gatehouse co":                         "commands completion",
		"gatehouse exec AUTH.":                 "AUTH.LOGIN AUTH.LOGOUT",
		"gatehouse exec AUTH.LOGIN e":          "email=",
		"gatehouse exec AUTH.LOGIN email=x p":  "password=",
		"gatehouse exec AUTH.LOGIN email=":     "",
		"gatehouse exec AUTH.LOGIN mode=":      "fast slow",
		"gatehouse exec AUTH.LOGIN mode=s":     "slow",
		"gatehouse exec auth.":                 "auth.login auth.logout",
		"gatehouse exec --profile ":            "default work",
		"gatehouse logout --profile w":         "work",
		"gatehouse login --p":                  "--password --profile",
		"gatehouse restore --":                 "--force",
		"gatehouse exec AUTH.LOGIN --dr":       "--dry-run",
		"gatehouse exec --json AUTH.LOGI":      "AUTH.LOGIN",
		"gatehouse exec --url x --json ":       "AUTH.LOGIN AUTH.LOGOUT USER.ME",
		"gatehouse exec --url ":                "",
		"gatehouse exec --url=x AUTH.LOGIN p":  "password=",
		"gatehouse exec AUTH.LOGIN --json e":   "email=",
		"gatehouse commands ":                  "--family --json --names",
		"gatehouse commands --family ":         "AUTH USER",
		"gatehouse commands --json --family U": "USER",
		"gatehouse commands --family USER --n": "--names",
		"gatehouse admin create --email ":      "",
		"gatehouse logs --no":                  "--no-follow",
		"gatehouse logs --events ":             "",
		"gatehouse keys ":                      "reencrypt",
		"gatehouse completion z":               "zsh",
	} {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", `
gatehouse() { case "$*" in
	"commands --names") printf 'AUTH.LOGIN\nAUTH.LOGOUT\nUSER.ME\n' ;;
	"commands --params-of AUTH.LOGIN --values-of mode") printf 'fast\nslow\n' ;;
	"profiles --names") printf 'default\nwork\n' ;;
	"commands --params-of AUTH.LOGIN") printf 'email=\npassword=\n' ;;
esac; }
compopt() { :; }
source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _gatehouse; echo "${COMPREPLY[*]}"`, "bash", script, line)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q completes to %q, %v, want %q", line, got, err, want)
		}
	}
}
