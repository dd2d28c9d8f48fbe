package config

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/application/family/system"
)

// Findings returns weaknesses of a valid configuration.
func (c *Config) Findings() []system.Finding {
	var found []system.Finding
	add := func(when bool, f system.Finding) {
		if when {
			found = append(found, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.strays)) {
		add(true, system.Finding{
			Variable: name, Severity: system.Warning,
			Message: "this service reads no variable of this name", Mend: c.strays[name],
		})
	}
	local := strings.HasPrefix(c.ServiceHost, "http://localhost") || strings.HasPrefix(c.ServiceHost, "http://127.0.0.1")
	add(c.EncryptionKey == "" && !c.Development, system.Finding{
		Variable: "ENCRYPTION_KEY", Severity: system.Warning,
		Message: "personal data is kept in clear", Mend: "set it to the output of `openssl rand -base64 32`, then run `gatehouse keys reencrypt`",
	})
	add(local && !c.Development, system.Finding{
		Variable: "SERVICE_HOST", Severity: system.Warning,
		Message: "tokens name an issuer that only this machine can reach", Mend: "set it to the public URL",
	})
	add(!local && strings.HasPrefix(c.ServiceHost, "http://"), system.Finding{
		Variable: "SERVICE_HOST", Severity: system.Warning,
		Message: "the public URL is not encrypted", Mend: "serve it by https",
	})
	for _, origin := range c.CORSOrigins {
		add(origin == "*", system.Finding{
			Variable: "CORS_ORIGINS", Severity: system.Warning,
			Message: "pages of every origin may call this service", Mend: "name the origins of your own pages",
		})
	}
	for _, network := range c.Proxies {
		add(network.Bits() == 0, system.Finding{
			Variable: "TRUSTED_PROXIES", Severity: system.Error,
			Message: "every address is believed to be a proxy, so clients choose their own address", Mend: "name the addresses of your proxies",
		})
	}
	add(len(c.Proxies) == 0 && !c.Development && strings.HasPrefix(c.ServiceHost, "https://"), system.Finding{
		Variable: "TRUSTED_PROXIES", Severity: system.Warning,
		Message: "whatever serves https stands for all clients: they share their limits by address, and may read the metrics if it is on this machine",
		Mend:    "name the addresses of your proxies",
	})
	add(c.AdminPassword != "" && !c.Development, system.Finding{
		Variable: "BOOTSTRAP_ADMIN_PASSWORD", Severity: system.Warning,
		Message: "the first superadmin's password stays in the environment", Mend: "remove it once the instance has started",
	})
	add(strings.HasPrefix(c.DatabaseURL, "postgres") && strings.Contains(c.DatabaseURL, "sslmode=disable") && !localDatabase(c.DatabaseURL), system.Finding{
		Variable: "DATABASE_URL", Severity: system.Warning,
		Message: "the connection to the database is not encrypted", Mend: "use sslmode=verify-full",
	})
	c.redisFindings(add)
	c.mailFindings(add)
	c.passkeyFindings(add)
	return found
}

func (c *Config) redisFindings(add func(when bool, f system.Finding)) {
	address, err := url.Parse(c.RedisURL)
	if c.RedisURL == "" || err != nil || localHost(address.Hostname()) {
		return
	}
	add(address.Scheme == "redis", system.Finding{
		Variable: "REDIS_URL", Severity: system.Warning,
		Message: "the connection to Redis is not encrypted", Mend: "use rediss://",
	})
	_, secured := address.User.Password()
	add(!secured, system.Finding{
		Variable: "REDIS_URL", Severity: system.Warning,
		Message: "whoever reaches Redis may change what rate limits count", Mend: "let Redis ask for a password and put it into the URL",
	})
}

func localHost(name string) bool {
	address, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && address.IsLoopback()
}

// localDatabase reports whether all hosts of a PostgreSQL address are this machine.
func localDatabase(address string) bool {
	return !slices.ContainsFunc(postgres.Hosts(address), func(host string) bool {
		return !localHost(host) && !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, "@")
	})
}
