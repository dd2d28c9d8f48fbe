package processes_test

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
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
	good := instance.Plan(t, "sqlite://"+filepath.Join(t.TempDir(), "gatehouse.db")).Environment
	// Values are recognizable, so that none of them is repeated.
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
			s := instance.Site{T: t, Environment: good}
			for variable, value := range wrong {
				s.Set(variable + "=" + value)
			}
			code, said := instance.RunOnce(t, "", t.TempDir(), s.Environment, "serve")
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
	s := instance.Plan(t, "postgres://zq5user:zq5pass@127.0.0.1:1/zq5?sslmode=disable")
	code, said := instance.RunOnce(t, "", s.Directory, s.Environment, "serve")
	if code == 0 || !strings.Contains(said, "DATABASE_URL") || strings.Contains(said, "zq5") {
		t.Errorf("serve without a database = %d:\n%s", code, said)
	}
}

// JWT_SECRET opens the signing keys: with another one nothing works, and nothing
// is lost.
func TestAnotherSecretDestroysNothing(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		instance.Stop(s.Replicas...)
		s.Set("JWT_SECRET=another6Zr7VwYt2LmXe8BnPc5HsDfGjKa4U")
		code, said := instance.RunOnce(t, "", s.Directory, s.Environment, "serve")
		if code == 0 || !strings.Contains(said, "JWT_SECRET") {
			t.Errorf("serve with another JWT_SECRET = %d:\n%s", code, said)
		}
		s.Set("JWT_SECRET=" + instance.JwtSecret)
		s.Start(on.Replicas)
		s.Last().As(ada, "USER.ME", nil).OK()
		s.Last().Rotate(ada.Refresh).OK()
	})
}

func TestCommandLine(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Plan(t, on.Empty(t), "BOOTSTRAP_ADMIN_EMAIL=", "BOOTSTRAP_ADMIN_PASSWORD=")
		run := func(input string, args ...string) string {
			t.Helper()
			code, said := instance.RunOnce(t, input, s.Directory, s.Environment, args...)
			if code != 0 {
				t.Fatalf("gatehouse %s = %d:\n%s", strings.Join(args, " "), code, said)
			}
			return said
		}
		run("", "migrate")
		run("", "migrate")
		boss := instance.Person{Email: "boss@example.com", Password: "the boss has a phrase of her own"}
		run(boss.Password+"\n", "admin", "create", "--email", boss.Email)
		s.Start(1)
		here := s.First()
		held := here.Again(boss)
		here.As(held, "JWT_KEY.LIST", nil).OK()

		s.Set("GATEHOUSE_URL="+here.URL, "GATEHOUSE_TOKEN="+held.Access)
		if said := run("", "exec", "USER.ME"); !strings.Contains(said, `"ok":true`) || !strings.Contains(said, boss.Email) {
			t.Errorf("gatehouse exec USER.ME:\n%s", said)
		}
		if said := run("", "exec", "USER.LIST", "limit=1"); !strings.Contains(said, held.ID) {
			t.Errorf("gatehouse exec USER.LIST limit=1:\n%s", said)
		}
		if code, said := instance.RunOnce(t, "", s.Directory, s.Environment, "exec", "SESSION.REVOKE", "session_id=ses_"+strings.Repeat("0", 26)); code != 1 || !strings.Contains(said, "NOT_FOUND") {
			t.Errorf("gatehouse exec of what fails = %d:\n%s", code, said)
		}
		if said := run("", "commands", "--names"); !strings.Contains(said, "AUTH.SIGNUP\n") {
			t.Errorf("gatehouse commands --names:\n%s", said)
		}
		run("", "version")
	})
}
