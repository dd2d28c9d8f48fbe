package config

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/application/family/system"
)

func TestFindings(t *testing.T) {
	t.Parallel()
	const key = "ENCRYPTION_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	for name, c := range map[string]struct {
		dev     bool
		changes []string
		want    []string
	}{
		"sound":             {false, []string{key}, nil},
		"no key":            {false, nil, []string{"warning ENCRYPTION_KEY"}},
		"no key in dev":     {true, nil, nil},
		"local":             {false, []string{key, "SERVICE_HOST="}, []string{"warning SERVICE_HOST"}},
		"local in dev":      {true, []string{"SERVICE_HOST=http://127.0.0.1:8400"}, nil},
		"not encrypted":     {false, []string{key, "SERVICE_HOST=http://auth.example.com"}, []string{"warning SERVICE_HOST"}},
		"any origin":        {false, []string{key, "CORS_ORIGINS=https://a.example.com,*"}, []string{"warning CORS_ORIGINS"}},
		"no proxy":          {false, []string{key, "TRUSTED_PROXIES="}, []string{"warning TRUSTED_PROXIES"}},
		"no proxy in dev":   {true, []string{"TRUSTED_PROXIES="}, nil},
		"any proxy":         {false, []string{key, "TRUSTED_PROXIES=10.0.0.0/8,0.0.0.0/0,::/0"}, []string{"error TRUSTED_PROXIES", "error TRUSTED_PROXIES"}},
		"password":          {false, []string{key, "BOOTSTRAP_ADMIN_EMAIL=a@example.com", "BOOTSTRAP_ADMIN_PASSWORD=zq5zq5zq5"}, []string{"warning BOOTSTRAP_ADMIN_PASSWORD"}},
		"database in clear": {false, []string{key, "DATABASE_URL=postgres://zq5@db.example.com/x?sslmode=disable"}, []string{"warning DATABASE_URL"}},
		"one of two hosts":  {false, []string{key, "DATABASE_URL=postgres://zq5@localhost,db.example.com/x?sslmode=disable"}, []string{"warning DATABASE_URL"}},
		"Redis in clear":    {false, []string{key, "REDIS_URL=redis://:zq5@redis.example.com"}, []string{"warning REDIS_URL"}},
		"open Redis":        {false, []string{key, "REDIS_URL=rediss://zq5@192.0.2.1:6380/1"}, []string{"warning REDIS_URL"}},
		"sound Redis":       {false, []string{key, "REDIS_URL=rediss://:zq5@redis.example.com"}, nil},
		"local Redis":       {false, []string{key, "REDIS_URL=redis://[::1]:6379"}, nil},
		"no mail":           {false, []string{key, "SMTP_URL="}, []string{"warning SMTP_URL"}},
		"no mail in dev":    {true, []string{"SMTP_URL=", "MAIL_FROM="}, nil},
		"mail of nobody":    {false, []string{key, "SMTP_URL=smtp://mx.example.com"}, []string{"warning SMTP_URL"}},
		"mail through here": {false, []string{key, "SMTP_URL=smtp://localhost:25"}, nil},
		"mistyped":          {false, []string{key, "TRUSTED_PROXYS=10.0.0.0/8", "GATEHOUSE_PORT=1", "HOST=x", "PORTS=1", "PATH=/bin"}, []string{"warning GATEHOUSE_PORT", "warning TRUSTED_PROXYS"}},
		"local database":    {false, []string{key, "DATABASE_URL=postgres://zq5@localhost/x?sslmode=disable"}, nil},
	} {
		variables := map[string]string{
			"DATABASE_URL": "postgres://gatehouse@db.example.com/gatehouse", "SERVICE_HOST": "https://auth.example.com",
			"JWT_SECRET": "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U",
			"SMTP_URL":   "smtps://zq5:zq5@mx.example.com", "MAIL_FROM": "no-reply@example.com", "TRUSTED_PROXIES": "10.0.0.0/8",
		}
		for _, change := range c.changes {
			variable, value, _ := strings.Cut(change, "=")
			variables[variable] = value
		}
		config, err := Load(variables, c.dev)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, f := range config.Findings() {
			got = append(got, string(f.Severity)+" "+f.Variable)
			if f.Message == "" || f.Mend == "" || strings.Contains(f.Message+f.Mend, "zq5") {
				t.Errorf("%s: finding = %+v", name, f)
			}
			if f.Severity != system.Warning && f.Severity != system.Error {
				t.Errorf("%s: severity = %q", name, f.Severity)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: findings = %q, want %q", name, got, c.want)
		}
	}
}
