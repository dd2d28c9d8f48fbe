// Package config reads the configuration of an instance from its environment, and
// reports errors and weaknesses.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/adapters/password"
	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/redis"
	"gatehouse.internal/adapters/telemetry"
	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/email"
	domainpassword "gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/spelling"
)

// minSecret is the minimum length of JWT_SECRET, in bytes (specification section 1).
const minSecret = 32

// Config is the configuration, read from the environment (contract section 13).
type Config struct {
	Port               int    `env:"PORT" envDefault:"8400"`
	DatabaseURL        string `env:"DATABASE_URL"`
	ServiceHost        string `env:"SERVICE_HOST"`
	JWTSecret          string `env:"JWT_SECRET"`
	EncryptionKey      string `env:"ENCRYPTION_KEY"`
	PublicRegistration bool   `env:"ENABLE_PUBLIC_REGISTRATION" envDefault:"true"`
	// TrustedProxies are networks or addresses whose X-Forwarded-For is trusted.
	TrustedProxies []string `env:"TRUSTED_PROXIES"`
	CORSOrigins    []string `env:"CORS_ORIGINS"`
	LogLevel       string   `env:"LOG_LEVEL" envDefault:"info"`
	LogFormat      string   `env:"LOG_FORMAT" envDefault:"json"`
	TracesEndpoint string   `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	TracesHeaders  string   `env:"OTEL_EXPORTER_OTLP_HEADERS"`
	// TraceClients adds the address and the user agent of clients to traces.
	TraceClients  bool   `env:"TRACE_CLIENTS" envDefault:"false"`
	AdminEmail    string `env:"BOOTSTRAP_ADMIN_EMAIL"`
	AdminPassword string `env:"BOOTSTRAP_ADMIN_PASSWORD"`
	// ClockOffset shifts all clocks of a development instance.
	ClockOffset    time.Duration `env:"CLOCK_OFFSET"`
	Argon2Memory   uint32        `env:"ARGON2_MEMORY_KIB" envDefault:"19456"`
	Argon2Time     uint32        `env:"ARGON2_TIME" envDefault:"2"`
	Argon2Threads  uint8         `env:"ARGON2_THREADS" envDefault:"1"`
	MaxConnections int           `env:"DATABASE_MAX_CONNECTIONS" envDefault:"0"`
	// RedisURL is the Redis for rate limits; empty for the database. All replicas must
	// use the same, or each counts separately.
	RedisURL string `env:"REDIS_URL"`

	RedirectConfig
	MailConfig
	PasskeyConfig
	SocialConfig
	MetricsConfig
	DNSConfig
	GeoIPConfig
	WebhookConfig
	BillingConfig

	// Development is set by `gatehouse dev`.
	Development bool

	// Proxies, Keys and Level are the parsed TrustedProxies, EncryptionKey and
	// LogLevel.
	Proxies []netip.Prefix
	Keys    cipher.Keys
	Level   slog.Level

	// strays are variables with similar names to those of this service, with
	// suggestions.
	strays map[string]string
}

// Load parses the configuration. Its error lists every missing or invalid variable on a
// line of its own, with a remedy and without its value.
func Load(variables map[string]string, development bool) (Config, error) {
	c, wrong := read(variables, development)
	if wrong != nil {
		for _, name := range slices.Sorted(maps.Keys(c.strays)) {
			wrong = errors.Join(wrong, fmt.Errorf("%s is not a known variable: %s", name, c.strays[name]))
		}
	}
	return c, wrong
}

func read(variables map[string]string, development bool) (Config, error) {
	c, err := env.ParseAsWithOptions[Config](env.Options{
		Environment: variables,
		FuncMap:     map[reflect.Type]env.ParserFunc{reflect.TypeFor[[]string](): parseList},
	})
	c.strays = strays(variables)
	if err != nil {
		return c, misread(err, variables, development)
	}
	c.Development = development
	return c, c.complete()
}

// strays returns variables with similar names to those of this service, with
// suggestions.
func strays(variables map[string]string) map[string]string {
	known, err := env.GetFieldParams(&Config{})
	if err != nil {
		return nil
	}
	var names []string
	for _, one := range known {
		names = append(names, one.Key)
	}
	const short = 6 // shorter names are similar to many others
	found := map[string]string{}
	for name := range variables {
		bare, ours := strings.CutPrefix(name, "GATEHOUSE_")
		meant, near := spelling.Nearest(bare, names)
		switch {
		case slices.Contains(names, name), slices.Contains(cli.Variables(), name):
		case near && (ours || len(name) >= short):
			found[name] = "did you mean " + meant + "?"
		case ours:
			found[name] = "remove it"
		}
	}
	return found
}

// parseList parses a list of items separated by commas, with optional white space.
func parseList(text string) (any, error) {
	items := strings.Split(text, ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return items, nil
}

// misread lists the variables that do not parse (the library's messages contain values)
// and, without them, all other errors.
func misread(err error, variables map[string]string, development bool) error {
	all, ok := errors.AsType[env.AggregateError](err)
	if !ok {
		return errors.New("failed to parse the environment variables")
	}
	var mistakes []error
	rest := maps.Clone(variables)
	for _, one := range all.Errors {
		parse, ok := errors.AsType[env.ParseError](one)
		if !ok {
			continue
		}
		field, _ := reflect.TypeFor[Config]().FieldByName(parse.Name)
		name := field.Tag.Get("env")
		delete(rest, name)
		mistakes = append(mistakes, fmt.Errorf("%s is malformed: set it to %s", name, wording(field.Type)))
	}
	if len(mistakes) == 0 {
		return errors.New("failed to parse the environment variables")
	}
	_, others := read(rest, development)
	return errors.Join(append(mistakes, others)...)
}

// wording describes the syntax of a type.
func wording(of reflect.Type) string {
	switch {
	case of == reflect.TypeFor[time.Duration]():
		return "a duration such as 90m or -24h"
	case of.Kind() == reflect.Bool:
		return "true or false"
	default:
		return "a whole number in the allowed range"
	}
}

func (c *Config) complete() error {
	if c.ServiceHost == "" {
		c.ServiceHost = fmt.Sprintf("http://localhost:%d", c.Port)
	}
	hostMistake := c.normalizeHost()
	return errors.Join(
		c.checkRequired(), c.checkRedis(), hostMistake, c.checkKeys(), c.checkProxies(),
		c.checkOrigins(), c.checkLog(), c.Collector().Check(), c.checkDevelopment(), c.checkArgon2(), c.checkNumbers(), c.checkRedirects(), c.checkBilling(), c.checkMail(), c.checkDNS(), c.checkGeoIP(), c.checkPasskeys(), c.checkSocial(), c.checkMetrics(),
	)
}

func (c *Config) checkNumbers() error {
	var mistakes []error
	if c.Port < 1 || c.Port > 65535 {
		mistakes = append(mistakes, errors.New("PORT is out of range: set it to a number from 1 to 65535"))
	}
	if c.MaxConnections < 0 {
		mistakes = append(mistakes, errors.New("DATABASE_MAX_CONNECTIONS is out of range: set it to a positive number, or to 0 to derive it from the number of cores"))
	}
	return errors.Join(mistakes...)
}

func (c *Config) checkRequired() error {
	var mistakes []error
	scheme, place, _ := strings.Cut(c.DatabaseURL, "://")
	var unusable error
	if scheme == "postgres" || scheme == "postgresql" {
		unusable = postgres.CheckURL(c.DatabaseURL)
	}
	switch {
	case c.DatabaseURL == "":
		mistakes = append(mistakes, errors.New("DATABASE_URL is missing: set it to postgres://user:password@host/database or sqlite://path/to/file"))
	case scheme != "postgres" && scheme != "postgresql" && scheme != "sqlite":
		mistakes = append(mistakes, errors.New("DATABASE_URL has an unsupported scheme: it must start with postgres:// or sqlite://"))
	case place == "":
		mistakes = append(mistakes, errors.New("DATABASE_URL does not name a database: set it to postgres://user:password@host/database or sqlite://path/to/file"))
	case errors.Is(unusable, postgres.ErrReadOnly):
		mistakes = append(mistakes, errors.New("DATABASE_URL requires a read-only server: set target_session_attrs to read-write or primary, or remove it"))
	case unusable != nil:
		mistakes = append(mistakes, errors.New("DATABASE_URL is not a valid PostgreSQL URL: set it to postgres://user:password@host/database?sslmode=verify-full, write several hosts as host1:5432,host2:5432, and percent-encode special characters"))
	}
	switch {
	case c.JWTSecret == "":
		mistakes = append(mistakes, errors.New("JWT_SECRET is missing: set it to at least 32 random bytes, for example from `openssl rand -base64 48`"))
	case len(c.JWTSecret) < minSecret:
		mistakes = append(mistakes, errors.New("JWT_SECRET is too short: set it to at least 32 random bytes, for example from `openssl rand -base64 48`"))
	case !random(c.JWTSecret):
		mistakes = append(mistakes, errors.New("JWT_SECRET is not random (it consists of words, repetitions or sequences): set it to random bytes, for example from `openssl rand -base64 48`"))
	}
	return errors.Join(append(mistakes, c.checkAdmin())...)
}

// checkAdmin validates the first superadmin. The password is checked as on creation, so
// that a weak one is reported before the database is accessed.
func (c *Config) checkAdmin() error {
	if (c.AdminEmail == "") != (c.AdminPassword == "") {
		return errors.New("BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD must be set together: set both or neither")
	}
	if c.AdminEmail == "" {
		return nil
	}
	var mistakes []error
	address, err := email.Parse(c.AdminEmail)
	if err != nil {
		mistakes = append(mistakes, errors.New("BOOTSTRAP_ADMIN_EMAIL is not an email address: set it to the address of the first superadmin"))
	}
	judge := account.Passwords{Strength: password.Strength{}}
	if _, complaints := judge.Judge(secret.New(c.AdminPassword), AdminOwner(address), policy.Defaults().Password); len(complaints) > 0 {
		mistakes = append(mistakes, fmt.Errorf("BOOTSTRAP_ADMIN_PASSWORD is %s: set it to 8 to 256 characters that are hard to guess", strings.Join(complaints, ", ")))
	}
	return errors.Join(mistakes...)
}

// AdminOwner returns the owner of a superadmin's password, for the password policy.
func AdminOwner(address email.Address) domainpassword.Owner {
	return domainpassword.Owner{Email: address.String(), Name: "Administrator"}
}

func (c *Config) checkRedis() error {
	if c.RedisURL != "" && redis.CheckURL(c.RedisURL) != nil {
		return errors.New("REDIS_URL is not a valid Redis URL: set it to redis://user:password@host:6379/0, or rediss:// for TLS, without options")
	}
	return nil
}

// random reports whether a secret may be random: repeated patterns make up less than
// half of it. It rejects far less than one in a thousand random secrets of 32
// characters.
func random(text string) bool {
	const spare = 2
	return password.Chance(text) >= len(text)/2+spare
}

func (c *Config) checkKeys() error {
	keys, err := cipher.ParseKeys(c.EncryptionKey)
	if err != nil {
		return fmt.Errorf("ENCRYPTION_KEY is invalid: %w: create a key with `openssl rand -base64 32`", err)
	}
	c.Keys = keys
	return nil
}

func (c *Config) checkProxies() error {
	c.Proxies = nil
	for _, text := range c.TrustedProxies {
		prefix, err := parseNetwork(text)
		if err != nil {
			return errors.New("TRUSTED_PROXIES contains an invalid network: set it to addresses or networks such as 10.0.0.0/8,127.0.0.1")
		}
		c.Proxies = append(c.Proxies, prefix)
	}
	return nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked(), nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return address.Prefix(address.BitLen())
}

func (c *Config) checkOrigins() error {
	for _, origin := range c.CORSOrigins {
		if !setting.ValidOrigin(origin) {
			return errors.New("CORS_ORIGINS contains an invalid origin: set it to origins such as https://app.example.com, or to *")
		}
	}
	return nil
}

func (c *Config) checkLog() error {
	var mistakes []error
	if err := c.Level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		mistakes = append(mistakes, errors.New("LOG_LEVEL is invalid: set it to debug, info, warn or error"))
	}
	if c.LogFormat != "json" && c.LogFormat != "text" {
		mistakes = append(mistakes, errors.New("LOG_FORMAT is invalid: set it to json or text"))
	}
	return errors.Join(mistakes...)
}

// Collector returns the collector of traces.
func (c *Config) Collector() telemetry.Collector {
	return telemetry.Collector{Endpoint: c.TracesEndpoint, Headers: c.TracesHeaders, Clients: c.TraceClients}
}

func (c *Config) checkDevelopment() error {
	if c.ClockOffset != 0 && !c.Development {
		return errors.New("CLOCK_OFFSET is only supported by `gatehouse dev`: remove it")
	}
	return nil
}

func (c *Config) checkArgon2() error {
	if err := c.Argon2().Validate(); err != nil {
		return fmt.Errorf("ARGON2_MEMORY_KIB, ARGON2_TIME or ARGON2_THREADS is out of range: %w", err)
	}
	return nil
}

// Argon2 returns the cost parameters of password hashes.
func (c *Config) Argon2() password.Settings {
	return password.Settings{Memory: c.Argon2Memory, Time: c.Argon2Time, Threads: c.Argon2Threads}
}

// Settings returns the runtime settings set by the environment.
func (c *Config) Settings() setting.Values {
	values := setting.Defaults()
	values.PublicRegistration = c.PublicRegistration
	if len(c.CORSOrigins) > 0 {
		values.CORSOrigins = c.CORSOrigins
	}
	return values
}
