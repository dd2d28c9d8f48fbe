package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/bootstrap/config"
)

const goodSecret = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"

// good returns the minimal configuration of a production instance, with changes as
// NAME=value.
func good(changes ...string) map[string]string {
	variables := map[string]string{
		"DATABASE_URL": "postgres://gatehouse@db.example.com/gatehouse", "JWT_SECRET": goodSecret, "SERVICE_HOST": "https://auth.example.com",
	}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		variables[name] = value
	}
	return variables
}

func load(t *testing.T, changes ...string) config.Config {
	t.Helper()
	c, err := config.Load(good(changes...), false)
	if err != nil {
		t.Fatalf("Load(%q) = %v", changes, err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	// Empty variables count as unset, since Compose files and CI set many.
	empty := []string{
		"PORT=", "ENABLE_PUBLIC_REGISTRATION=", "LOG_LEVEL=", "LOG_FORMAT=", "TRUSTED_PROXIES=", "CORS_ORIGINS=", "ENCRYPTION_KEY=",
		"CLOCK_OFFSET=", "ARGON2_MEMORY_KIB=", "ARGON2_TIME=", "ARGON2_THREADS=", "DATABASE_MAX_CONNECTIONS=", "REDIS_URL=", "BOOTSTRAP_ADMIN_EMAIL=", "BOOTSTRAP_ADMIN_PASSWORD=",
	}
	for _, c := range []config.Config{load(t), load(t, empty...)} {
		if c.Port != 8400 || !c.PublicRegistration || c.LogLevel != "info" || c.LogFormat != "json" || c.ClockOffset != 0 || c.Development ||
			c.Argon2Memory != 19456 || c.Argon2Time != 2 || c.Argon2Threads != 1 || c.MaxConnections != 0 || len(c.CORSOrigins)+len(c.TrustedProxies) != 0 {
			t.Errorf("config = %+v", c)
		}
	}
	if c := load(t, "SERVICE_HOST=", "PORT=9000"); c.ServiceHost != "http://localhost:9000" {
		t.Errorf("SERVICE_HOST is %q by default", c.ServiceHost)
	}
	if c := load(t, "SERVICE_HOST=https://auth.example.com/"); c.ServiceHost != "https://auth.example.com" {
		t.Errorf("SERVICE_HOST = %q", c.ServiceHost)
	}
	c := load(t, "ENABLE_PUBLIC_REGISTRATION=false", "PORT=80", "TRUSTED_PROXIES=10.0.0.0/8,::1, 192.0.2.1", "CORS_ORIGINS=https://a.example.com,http://localhost:3000")
	if c.PublicRegistration || c.Port != 80 || len(c.TrustedProxies) != 3 || len(c.CORSOrigins) != 2 {
		t.Errorf("config = %+v", c)
	}
	for _, address := range []string{"redis://localhost", "rediss://user:password@redis.example.com:6380/2"} {
		if c := load(t, "REDIS_URL="+address); c.RedisURL != address {
			t.Errorf("REDIS_URL = %q", c.RedisURL)
		}
	}
	offset, err := config.Load(good("CLOCK_OFFSET=-36h"), true)
	if err != nil || offset.ClockOffset != -36*time.Hour {
		t.Errorf("CLOCK_OFFSET = %v, %v", offset.ClockOffset, err)
	}
}

// Every error names its variable once, with a remedy and without its value.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for change, complaint := range map[string]string{
		"DATABASE_URL=": "DATABASE_URL is missing: ", "DATABASE_URL=mysql://zq5@db/x": "DATABASE_URL has an unsupported scheme: ", "DATABASE_URL=zq5": "DATABASE_URL",
		"DATABASE_URL=sqlite://": "DATABASE_URL",
		"JWT_SECRET=":            "JWT_SECRET is missing: ", "JWT_SECRET=zq5": "JWT_SECRET is too short: ", "JWT_SECRET=" + goodSecret[:31]: "JWT_SECRET is too short: ",
		"JWT_SECRET=" + strings.Repeat("zq5abc", 8): "JWT_SECRET is not random", "JWT_SECRET=Please-ChangeMe-zq5-0123456789abcdef": "JWT_SECRET is not random",
		"JWT_SECRET=your-256-bit-secret-zq5-0123456789": "JWT_SECRET is not random",
		"SERVICE_HOST=auth.zq5.com":                     "SERVICE_HOST", "SERVICE_HOST=ftp://zq5.com": "SERVICE_HOST", "SERVICE_HOST=https://zq5@h.com": "SERVICE_HOST", "SERVICE_HOST=https://h.com?zq5": "SERVICE_HOST",
		"SERVICE_HOST=https://h.com#zq5": "SERVICE_HOST", "SERVICE_HOST=https://": "SERVICE_HOST", "SERVICE_HOST=https://zq5\x7f": "SERVICE_HOST",
		"ENCRYPTION_KEY=zq5": "ENCRYPTION_KEY", "ENCRYPTION_KEY=a:enE1,zq5": "ENCRYPTION_KEY",
		"TRUSTED_PROXIES=10.0.0.0/8,zq5": "TRUSTED_PROXIES", "TRUSTED_PROXIES=10.0.0.0/99": "TRUSTED_PROXIES",
		"CORS_ORIGINS=https://a.example.com,zq5": "CORS_ORIGINS", "CORS_ORIGINS=https://zq5.com/path": "CORS_ORIGINS",
		"LOG_LEVEL=zq5": "LOG_LEVEL", "LOG_FORMAT=zq5": "LOG_FORMAT", "CLOCK_OFFSET=5h": "CLOCK_OFFSET", "CLOCK_OFFSET=zq5": "CLOCK_OFFSET",
		"PORT=zq5": "PORT", "PORT=-1": "PORT", "PORT=65536": "PORT", "PORT=99999999999999999999": "PORT",
		"ENABLE_PUBLIC_REGISTRATION=zq5": "ENABLE_PUBLIC_REGISTRATION", "ARGON2_MEMORY_KIB=1": "ARGON2_MEMORY_KIB", "ARGON2_TIME=zq5": "ARGON2_TIME", "ARGON2_THREADS=300": "ARGON2_THREADS",
		"DATABASE_MAX_CONNECTIONS=zq5": "DATABASE_MAX_CONNECTIONS", "DATABASE_MAX_CONNECTIONS=-5": "DATABASE_MAX_CONNECTIONS",
		"BOOTSTRAP_ADMIN_EMAIL=zq5@example.com": "BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD=zq5": "BOOTSTRAP_ADMIN_PASSWORD",
		"REDIS_URL=zq5": "REDIS_URL is not a valid Redis URL", "REDIS_URL=http://zq5": "REDIS_URL is not a valid Redis URL", "REDIS_URL=redis://:zq5@": "REDIS_URL is not a valid Redis URL",
		"REDIS_URL=redis://:zq5@h:port": "REDIS_URL is not a valid Redis URL", "REDIS_URL=rediss://:zq5@h/0?skip_verify=true": "REDIS_URL is not a valid Redis URL",
		"REDIS_URL=redis://:zq5%zz@h": "REDIS_URL is not a valid Redis URL", "REDIS_URL=redis://:zq5@h/name": "REDIS_URL is not a valid Redis URL",
		"METRICS_TOKEN=zq5": "METRICS_TOKEN", "METRICS_TOKEN=" + strings.Repeat("zq5a", 8): "METRICS_TOKEN",
		"DNS_RESOLVER=zq5": "DNS_RESOLVER", "DNS_RESOLVER=zq5:0": "DNS_RESOLVER", "DNS_RESOLVER=:53": "DNS_RESOLVER", "DNS_RESOLVER=zq5:domain": "DNS_RESOLVER",
		"GEOIP_DB=/zq5/absent.mmdb": "GEOIP_DB", "GEOIP_DB=/dev/null": "GEOIP_DB",
		"PORT=0": "PORT", "DATABASE_URL=postgres://": "DATABASE_URL",
		"DATABASE_URL=postgres://u:zq5%zz@h/x": "DATABASE_URL is not a valid PostgreSQL URL", "DATABASE_URL=postgres://u:zq5@h:99999999/x": "DATABASE_URL is not a valid PostgreSQL URL",
		"DATABASE_URL=postgres://u:zq5@h/x?sslmode=zq5": "DATABASE_URL is not a valid PostgreSQL URL", "DATABASE_URL=postgres://u:zq5@h1:5432,h2:zq5/x": "DATABASE_URL is not a valid PostgreSQL URL",
		"DATABASE_URL=postgres://u:zq5@h1,h2/x?target_session_attrs=prefer-standby": "DATABASE_URL requires a read-only server: ",
	} {
		_, err := config.Load(good(change), false)
		if err == nil {
			t.Errorf("%q is taken", change)
			continue
		}
		said := err.Error()
		if !strings.HasPrefix(said, complaint) && !strings.Contains(said, complaint) || strings.Count(said, "\n") > 0 || !strings.Contains(said, ": ") {
			t.Errorf("%q: %q, want %q and the mend", change, said, complaint)
		}
		if strings.Contains(said, "zq5") || strings.Contains(said, goodSecret[:8]) {
			t.Errorf("%q: the value is told: %q", change, said)
		}
	}
}

func TestListsTakeBlanks(t *testing.T) {
	t.Parallel()
	c := load(t, "SERVICE_HOST=https://id.example.com", "TRUSTED_PROXIES= 10.0.0.0/8 , ::1", "CORS_ORIGINS=https://a.example.com, https://b.example.com ",
		"SOCIAL_REDIRECT_URLS=https://a.example.com/in ,\thttps://b.example.com/in", "WEBAUTHN_ORIGINS=https://id.example.com, https://a.id.example.com")
	for name, lists := range map[string][2][]string{
		"TRUSTED_PROXIES":      {c.TrustedProxies, {"10.0.0.0/8", "::1"}},
		"CORS_ORIGINS":         {c.CORSOrigins, {"https://a.example.com", "https://b.example.com"}},
		"SOCIAL_REDIRECT_URLS": {c.SocialRedirectURLs, {"https://a.example.com/in", "https://b.example.com/in"}},
		"WEBAUTHN_ORIGINS":     {c.WebAuthnOrigins, {"https://id.example.com", "https://a.id.example.com"}},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s = %q, want %q", name, lists[0], lists[1])
		}
	}
	if _, err := config.Load(good("CORS_ORIGINS=https://a.example.com, ,"), false); err == nil {
		t.Error("an item of blanks is an origin")
	}
}

func TestAdminNeedsAnAddress(t *testing.T) {
	t.Parallel()
	_, err := config.Load(good("BOOTSTRAP_ADMIN_EMAIL=zq5", "BOOTSTRAP_ADMIN_PASSWORD=zq5zq5zq5"), false)
	if err == nil || !strings.HasPrefix(err.Error(), "BOOTSTRAP_ADMIN_EMAIL is not an email address: ") || strings.Contains(err.Error(), "zq5") {
		t.Errorf("Load() = %v", err)
	}
}

func TestAdminNeedsAPassword(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"zq5", "zq5@example.com", strings.Repeat("zq5 ", 65), "Administrator", "qwertyuiop", "Password1"} {
		_, err := config.Load(good("BOOTSTRAP_ADMIN_EMAIL=zq5@example.com", "BOOTSTRAP_ADMIN_PASSWORD="+password), false)
		if err == nil || !strings.HasPrefix(err.Error(), "BOOTSTRAP_ADMIN_PASSWORD is ") || strings.Contains(err.Error(), "zq5") || strings.Contains(err.Error(), password) {
			t.Errorf("Load() with the password %q = %v", password, err)
		}
	}
}

// All errors are reported together, one on a line, including values that do not parse.
func TestAllMistakesTogether(t *testing.T) {
	t.Parallel()
	wrong := []string{
		"DATABASE_URL=", "JWT_SECRET=short", "SERVICE_HOST=x", "ENCRYPTION_KEY=x", "TRUSTED_PROXIES=x", "CORS_ORIGINS=x",
		"LOG_LEVEL=x", "LOG_FORMAT=x", "CLOCK_OFFSET=1h", "PORT=x", "ENABLE_PUBLIC_REGISTRATION=x", "ARGON2_TIME=x", "BOOTSTRAP_ADMIN_EMAIL=x", "BOOTSTRAP_ADMIN_PASSWORD=qwertyuiop",
		"DATABASE_MAX_CONNECTIONS=x", "REDIS_URL=x", "OTEL_EXPORTER_OTLP_ENDPOINT=x", "OTEL_EXPORTER_OTLP_HEADERS=x",
		"WEBAUTHN_RP_ID=x", "WEBAUTHN_ORIGINS=x",
	}
	_, err := config.Load(good(wrong...), false)
	if err == nil {
		t.Fatal("everything wrong is taken")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(wrong) {
		t.Errorf("%d lines for %d mistakes:\n%v", len(lines), len(wrong), err)
	}
	for _, change := range wrong {
		name, _, _ := strings.Cut(change, "=")
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+" ") }) {
			t.Errorf("no line begins with %s:\n%v", name, err)
		}
	}
}

// Variables with misspelled names are listed beside missing ones.
func TestMistypedNames(t *testing.T) {
	t.Parallel()
	_, err := config.Load(good("DATABASE_URL=", "DATABSE_URL=sqlite://zq5", "GATEHOUSE_PORT=zq5", "GATEHOUSE_ZQ=1", "GATEHOUSE_URL=http://zq5"), false)
	if err == nil {
		t.Fatal("a configuration without database is taken")
	}
	reported := strings.SplitN(err.Error(), "\n", 2)
	want := "DATABSE_URL is not a known variable: did you mean DATABASE_URL?\n" +
		"GATEHOUSE_PORT is not a known variable: did you mean PORT?\n" +
		"GATEHOUSE_ZQ is not a known variable: remove it"
	if len(reported) != 2 || !strings.HasPrefix(reported[0], "DATABASE_URL is missing: ") || reported[1] != want {
		t.Errorf("the mistakes are\n%v\nwant what is missing, and\n%s", err, want)
	}
	if _, err := config.Load(good("PORT=zq5", "JWTSECRET=zq5"), false); err == nil || !strings.Contains(err.Error(), "JWTSECRET is not a known variable") {
		t.Errorf("beside a value that does not parse, the mistakes are %v", err)
	}
}
