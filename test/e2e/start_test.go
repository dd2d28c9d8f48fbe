package e2e_test

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
)

// lineAbout is the one line that names a variable.
func lineAbout(t *testing.T, said, variable string) string {
	t.Helper()
	var found []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, variable) {
			found = append(found, line)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lines name %s, want one:\n%s", len(found), variable, said)
	}
	return found[0]
}

func TestServeRefusesAWrongConfiguration(t *testing.T) {
	t.Parallel()
	good := plan(t, "sqlite://"+filepath.Join(t.TempDir(), "gatehouse.db")).environment
	// Values are recognisable, so that none of them is repeated.
	for name, wrong := range map[string]map[string]string{
		"nothing":            {"DATABASE_URL": "", "JWT_SECRET": ""},
		"a short secret":     {"JWT_SECRET": "zq5Short"},
		"a weak secret":      {"JWT_SECRET": strings.Repeat("zq", 20)},
		"an example secret":  {"JWT_SECRET": "zq5-changeme-changeme-changeme-changeme"},
		"another database":   {"DATABASE_URL": "mysql://zq5user:zq5pass@host/db"},
		"no scheme":          {"DATABASE_URL": "zq5.db"},
		"an address":         {"SERVICE_HOST": "zq5.example.com"},
		"a host with a user": {"SERVICE_HOST": "https://zq5:zq5@example.com"},
		"a short key":        {"ENCRYPTION_KEY": "enpxNQ=="},
		"a weak key":         {"ENCRYPTION_KEY": base64.StdEncoding.EncodeToString(make([]byte, 32))},
		"proxies":            {"TRUSTED_PROXIES": "zq5"},
		"origins":            {"CORS_ORIGINS": "zq5"},
		"a level":            {"LOG_LEVEL": "zq5"},
		"a format":           {"LOG_FORMAT": "zq5"},
		"a port":             {"PORT": "zq5"},
		"a switch":           {"ENABLE_PUBLIC_REGISTRATION": "zq5"},
		"a clock":            {"CLOCK_OFFSET": "1h"},
		"half an admin":      {"BOOTSTRAP_ADMIN_PASSWORD": ""},
		"costs":              {"ARGON2_MEMORY_KIB": "1"},
		"many at once": {
			"DATABASE_URL": "zq5", "JWT_SECRET": "zq5", "SERVICE_HOST": "zq5", "ENCRYPTION_KEY": "zq5", "CORS_ORIGINS": "zq5",
			"TRUSTED_PROXIES": "zq5", "LOG_LEVEL": "zq5", "LOG_FORMAT": "zq5", "CLOCK_OFFSET": "5h",
		},
		"many that do not parse": {"PORT": "zq5", "CLOCK_OFFSET": "zq5", "ARGON2_TIME": "zq5", "ENABLE_PUBLIC_REGISTRATION": "zq5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := site{t: t, environment: good}
			for variable, value := range wrong {
				s.set(variable + "=" + value)
			}
			code, said := runOnce(t, "", t.TempDir(), s.environment, "serve")
			if code == 0 {
				t.Errorf("serve ended with exit code 0:\n%s", said)
			}
			if strings.Contains(said, "zq") || strings.Contains(said, "enpx") {
				t.Errorf("a value is repeated:\n%s", said)
			}
			for variable := range wrong {
				if name == "half an admin" {
					variable = "BOOTSTRAP_ADMIN_EMAIL"
				}
				if line := lineAbout(t, said, variable); len(strings.TrimSpace(line)) < len(variable)+10 {
					t.Errorf("the line tells nothing: %q", line)
				}
			}
		})
	}
}

func TestServeWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	s := plan(t, "postgres://zq5user:zq5pass@127.0.0.1:1/zq5?sslmode=disable")
	code, said := runOnce(t, "", s.directory, s.environment, "serve")
	if code == 0 || !strings.Contains(said, "DATABASE_URL") || strings.Contains(said, "zq5") {
		t.Errorf("serve without a database = %d:\n%s", code, said)
	}
}

// JWT_SECRET opens the signing keys: with another one nothing works, and nothing
// is lost.
func TestAnotherSecretDestroysNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		ada := s.first().signUp()
		stop(s.replicas...)
		s.set("JWT_SECRET=another6Zr7VwYt2LmXe8BnPc5HsDfGjKa4U")
		code, said := runOnce(t, "", s.directory, s.environment, "serve")
		if code == 0 || !strings.Contains(said, "JWT_SECRET") {
			t.Errorf("serve with another JWT_SECRET = %d:\n%s", code, said)
		}
		s.set("JWT_SECRET=" + jwtSecret)
		s.start(on.replicas)
		s.last().as(ada, "USER.ME", nil).ok()
		s.last().rotate(ada.refresh).ok()
	})
}

func TestCommandLine(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := plan(t, on.empty(t), "BOOTSTRAP_ADMIN_EMAIL=", "BOOTSTRAP_ADMIN_PASSWORD=")
		run := func(input string, args ...string) string {
			t.Helper()
			code, said := runOnce(t, input, s.directory, s.environment, args...)
			if code != 0 {
				t.Fatalf("gatehouse %s = %d:\n%s", strings.Join(args, " "), code, said)
			}
			return said
		}
		run("", "migrate")
		run("", "migrate")
		boss := person{email: "boss@example.com", password: "the boss has a phrase of her own"}
		run(boss.password+"\n", "admin", "create", "--email", boss.email)
		s.start(1)
		here := s.first()
		held := here.again(boss)
		here.as(held, "JWT_KEY.LIST", nil).ok()

		s.set("GATEHOUSE_URL="+here.url, "GATEHOUSE_TOKEN="+held.access)
		if said := run("", "exec", "USER.ME"); !strings.Contains(said, `"ok":true`) || !strings.Contains(said, boss.email) {
			t.Errorf("gatehouse exec USER.ME:\n%s", said)
		}
		if said := run("", "exec", "USER.LIST", "limit=1"); !strings.Contains(said, held.id) {
			t.Errorf("gatehouse exec USER.LIST limit=1:\n%s", said)
		}
		if code, said := runOnce(t, "", s.directory, s.environment, "exec", "SESSION.REVOKE", "session_id=ses_"+strings.Repeat("0", 26)); code != 1 || !strings.Contains(said, "NOT_FOUND") {
			t.Errorf("gatehouse exec of what fails = %d:\n%s", code, said)
		}
		if said := run("", "commands", "--names"); !strings.Contains(said, "AUTH.SIGNUP\n") {
			t.Errorf("gatehouse commands --names:\n%s", said)
		}
		run("", "version")
	})
}
