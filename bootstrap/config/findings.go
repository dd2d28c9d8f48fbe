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
			Message: "this variable is unknown and has no effect", Mend: c.strays[name],
		})
	}
	local := strings.HasPrefix(c.ServiceHost, "http://localhost") || strings.HasPrefix(c.ServiceHost, "http://127.0.0.1")
	add(c.EncryptionKey == "" && !c.Development, system.Finding{
		Variable: "ENCRYPTION_KEY", Severity: system.Warning,
		Message: "personal data is stored unencrypted", Mend: "set it to the output of `openssl rand -base64 32`, then run `gatehouse keys reencrypt`",
	})
	add(local && !c.Development, system.Finding{
		Variable: "SERVICE_HOST", Severity: system.Warning,
		Message: "tokens contain an issuer that only this machine can reach", Mend: "set it to the public URL of the instance",
	})
	add(!local && strings.HasPrefix(c.ServiceHost, "http://"), system.Finding{
		Variable: "SERVICE_HOST", Severity: system.Warning,
		Message: "the public URL is not encrypted", Mend: "serve the instance over https",
	})
	for _, origin := range c.CORSOrigins {
		add(origin == "*", system.Finding{
			Variable: "CORS_ORIGINS", Severity: system.Warning,
			Message: "pages of any origin can call this service", Mend: "list only the origins of your own pages",
		})
	}
	for _, network := range c.Proxies {
		add(network.Bits() == 0, system.Finding{
			Variable: "TRUSTED_PROXIES", Severity: system.Error,
			Message: "every address is trusted as a proxy, so clients can forge their IP address", Mend: "set it to the addresses of your proxies",
		})
	}
	add(len(c.Proxies) == 0 && !c.Development && strings.HasPrefix(c.ServiceHost, "https://"), system.Finding{
		Variable: "TRUSTED_PROXIES", Severity: system.Warning,
		Message: "all requests come from the address of your https proxy: clients share rate limits, and can read the metrics if the proxy runs on this machine",
		Mend:    "set it to the addresses of your proxies",
	})
	add(c.AdminPassword != "" && !c.Development, system.Finding{
		Variable: "BOOTSTRAP_ADMIN_PASSWORD", Severity: system.Warning,
		Message: "the password of the first superadmin remains in the environment", Mend: "remove it after the first start",
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
		Message: "Redis has no password: anyone who can reach it can change rate limit counters", Mend: "set a password in Redis and add it to the URL",
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
