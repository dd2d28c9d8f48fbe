package config

import (
	"errors"
	"net/url"
	"strings"

	socialadapter "gatehouse.internal/adapters/social"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
)

// SocialConfig configures the providers of social logins.
type SocialConfig struct {
	Google  ProviderConfig `envPrefix:"GOOGLE_"`
	GitHub  ProviderConfig `envPrefix:"GITHUB_"`
	Discord ProviderConfig `envPrefix:"DISCORD_"`
}

// ProviderConfig configures a provider. Client ID and secret together enable it.
type ProviderConfig struct {
	ClientID     string `env:"CLIENT_ID"`
	ClientSecret string `env:"CLIENT_SECRET"`
	// BaseURL overrides the provider's address in development.
	BaseURL string `env:"BASE_URL"`
}

// all returns the configuration by provider.
func (c *SocialConfig) all() map[social.Provider]ProviderConfig {
	return map[social.Provider]ProviderConfig{social.Google: c.Google, social.GitHub: c.GitHub, social.Discord: c.Discord}
}

func (c *Config) checkSocial() error {
	var mistakes []error
	for _, name := range social.Providers() {
		one, prefix := c.all()[name], strings.ToUpper(string(name))
		if (one.ClientID == "") != (one.ClientSecret == "") {
			mistakes = append(mistakes, errors.New(prefix+"_CLIENT_ID and "+prefix+"_CLIENT_SECRET must be set together: set both or neither"))
		}
		switch _, ok := one.base(); {
		case one.BaseURL == "":
		case !c.Development:
			mistakes = append(mistakes, errors.New(prefix+"_BASE_URL is only supported by `gatehouse dev`: remove it"))
		case !ok:
			mistakes = append(mistakes, errors.New(prefix+"_BASE_URL is invalid: set it to a URL such as http://localhost:9000"))
		}
	}
	return errors.Join(mistakes...)
}

func (c ProviderConfig) base() (*url.URL, bool) {
	parsed, err := url.Parse(strings.TrimRight(c.BaseURL, "/"))
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Hostname() == "" ||
		parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return nil, false
	}
	return parsed, true
}

// Social returns the options of the adapter, with overridden addresses.
func (c *SocialConfig) Social() socialadapter.Options {
	bases := map[social.Provider]*url.URL{}
	for name, one := range c.all() {
		if base, ok := one.base(); ok {
			bases[name] = base
		}
	}
	return socialadapter.Options{Bases: bases}
}

// Clients returns the configured clients.
func (c *SocialConfig) Clients() map[social.Provider]social.Environment {
	named := map[social.Provider]social.Environment{}
	for name, one := range c.all() {
		named[name] = social.Environment{ClientID: one.ClientID, ClientSecret: secret.New(one.ClientSecret)}
	}
	return named
}
