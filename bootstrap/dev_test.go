package bootstrap_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/bootstrap"
	"gatehouse.internal/bootstrap/config"
)

func devConfig(t *testing.T, variables map[string]string) config.Config {
	t.Helper()
	c, err := bootstrap.DevConfig(variables)
	if err != nil {
		t.Fatalf("DevConfig() = %v", err)
	}
	return c
}

// A development instance needs no configuration; generated secrets are stored, readable
// by their owner only. These tests change the working directory, so none is parallel.
func TestDevConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	first := devConfig(t, map[string]string{})
	if first.DatabaseURL != "sqlite://data/gatehouse.db" || first.AdminEmail != "admin@gatehouse.local" || first.LogFormat != "text" ||
		!first.Development || len(first.JWTSecret) < 32 || len(first.AdminPassword) < 20 {
		t.Errorf("config = %+v", first)
	}
	second := devConfig(t, map[string]string{})
	if second.JWTSecret != first.JWTSecret || second.AdminPassword != first.AdminPassword {
		t.Error("the second start uses other secrets")
	}
	for name, want := range map[string]os.FileMode{"data": 0o700, "data/jwt_secret": 0o600, "data/admin_password": 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
	files, err := filepath.Glob("data/*")
	if err != nil || len(files) != 2 {
		t.Errorf("data holds %q, %v", files, err)
	}
	if text, err := os.ReadFile("data/jwt_secret"); err != nil || string(text) != first.JWTSecret {
		t.Errorf("the file holds another secret, %v", err)
	}
}

func TestDevConfigOfTheEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	given := map[string]string{
		"DATABASE_URL": "sqlite://elsewhere.db", "JWT_SECRET": goodSecret, "BOOTSTRAP_ADMIN_EMAIL": "me@example.com",
		"BOOTSTRAP_ADMIN_PASSWORD": "my own battery", "LOG_FORMAT": "json", "CLOCK_OFFSET": "1h", "PORT": "9000",
	}
	c := devConfig(t, given)
	if c.DatabaseURL != "sqlite://elsewhere.db" || c.JWTSecret != goodSecret || c.AdminEmail != "me@example.com" || c.AdminPassword != "my own battery" ||
		c.LogFormat != "json" || c.ClockOffset != time.Hour || c.ServiceHost != "http://localhost:9000" {
		t.Errorf("config = %+v", c)
	}
	if files, err := filepath.Glob("data/*"); err != nil || len(files) != 0 {
		t.Errorf("made %q, %v, for nothing", files, err)
	}
	if len(given) != 7 {
		t.Error("the caller's variables were changed")
	}
	if _, err := bootstrap.DevConfig(map[string]string{"JWT_SECRET": "short", "PORT": "x"}); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("DevConfig() = %v, want two mistakes", err)
	}
	if _, err := bootstrap.DevConfig(nil); err != nil {
		t.Errorf("DevConfig(nil) = %v", err)
	}
}

// Concurrent starts use the same secrets.
func TestDevConfigAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	var all sync.WaitGroup
	configs := make([]config.Config, 16)
	for i := range configs {
		all.Go(func() {
			c, err := bootstrap.DevConfig(map[string]string{})
			if err != nil {
				t.Errorf("DevConfig() = %v", err)
			}
			configs[i] = c
		})
	}
	all.Wait()
	for _, c := range configs {
		if c.JWTSecret != configs[0].JWTSecret || c.AdminPassword != configs[0].AdminPassword || c.JWTSecret == "" {
			t.Error("two starts use different secrets")
		}
	}
}

// An unusable secret file is an error, and is not waited for.
func TestDevConfigOfABrokenFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("data/admin_password", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("data/jwt_secret", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := bootstrap.DevConfig(map[string]string{})
	if err == nil || !strings.Contains(err.Error(), "data/jwt_secret is empty") || !strings.Contains(err.Error(), "data/admin_password") {
		t.Errorf("DevConfig() = %v", err)
	}
}

func TestGreet(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c, err := config.Load(good("BOOTSTRAP_ADMIN_EMAIL=me@example.com", "BOOTSTRAP_ADMIN_PASSWORD=my own battery", "SERVICE_HOST=http://localhost:8400"), true)
	if err != nil {
		t.Fatal(err)
	}
	bootstrap.Greet(&out)(&bootstrap.Service{Config: c})
	for _, want := range []string{"listens on http://localhost:8400", "start page  http://localhost:8400/\n", "shown at http://localhost:8400/dev/mail", "me@example.com", "my own battery", "curl -s http://localhost:8400/api/v1/execute", `"command":"AUTH.LOGIN"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the greeting lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), goodSecret) {
		t.Error("the greeting tells JWT_SECRET")
	}
}
