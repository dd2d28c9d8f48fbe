package operations_test

import (
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	info := h.Anonymous().Do("SYSTEM.INFO_GET", nil).OK()
	if info.String("name") != "Gatehouse" || info.String("version") == "" || info.String("api_version") != "v1" ||
		info.String("issuer") != harness.Issuer || info.String("maintenance") != "off" {
		t.Errorf("%v", info.Data)
	}
	if n := len(h.Engine.Catalog()); info.Int("command_count") != n {
		t.Errorf("%d commands, want %d", info.Int("command_count"), n)
	}
}

func TestHealthOfASoundInstance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variables  []string
		encryption string
	}{
		"in clear": {nil, "disabled: personal data is stored unencrypted, because ENCRYPTION_KEY is not set"},
		"sealed":   {[]string{"ENCRYPTION_KEY=1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}, "enabled: personal data is encrypted at rest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, harness.SQLite(t), c.variables...)
			health := h.Superadmin().Do("SYSTEM.HEALTH_GET", nil).OK()
			if health.String("status") != "ok" {
				t.Errorf("%v", health.Data)
			}
			details := map[any]any{}
			for _, check := range health.List("checks") {
				details[check["name"]] = check["detail"]
				if check["ok"] != true || check["latency_ms"] != 0.0 || check["detail"] == "" {
					t.Errorf("%v", check)
				}
			}
			if len(details) != 7 || details["clock"] != "the database has no clock of its own" || details["mail"] != "the mail server accepts the connection and login" || details["encryption"] != c.encryption {
				t.Errorf("%v", details)
			}
		})
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	before := root.Do("SYSTEM.STATS_GET", nil).OK()
	h.SignUp("alice@example.com") // which queues a mail
	h.Clock.Advance(90 * time.Second)
	after := root.Do("SYSTEM.STATS_GET", nil).OK()
	if before.Int("rows.users") != 1 || after.Int("rows.users") != 2 || after.Int("rows.sessions") != 2 {
		t.Errorf("rows %v, then %v", before.Data["rows"], after.Data["rows"])
	}
	if after.Int("store_bytes") < 4096 || len(after.List("queues")) != 1 {
		t.Errorf("%v", after.Data)
	}
	for _, mails := range after.List("queues") {
		if mails["name"] != "mail" || mails["ready"] != 1.0 || mails["oldest_seconds"] != 90.0 {
			t.Errorf("queue %v, want a mail that has waited 90 s", mails)
		}
	}
}

func TestConfigCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variable, value, severity string
		ok                        bool
	}{
		"nothing":   {ok: true},
		"a warning": {"CORS_ORIGINS", "*", "warning", true},
		"an error":  {"TRUSTED_PROXIES", "0.0.0.0/0", "error", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variables := []string{"SERVICE_HOST=https://auth.example.com"}
			if c.variable != "" {
				variables = append(variables, c.variable+"="+c.value)
			}
			h := harness.On(t, harness.SQLite(t), variables...)
			checked := h.Superadmin().Do("SYSTEM.CONFIG_CHECK", nil).OK()
			findings := checked.List("findings")
			if checked.Bool("ok") != c.ok || (len(findings) == 0) != (c.variable == "") {
				t.Fatalf("%v", checked.Data)
			}
			for _, f := range findings {
				if f["variable"] != c.variable || f["severity"] != c.severity || f["message"] == "" || f["mend"] == "" {
					t.Errorf("%v", f)
				}
			}
		})
	}
}
