package config

import "errors"

// MetricsConfig grants access to GET /metrics, in addition to programs on the same
// machine and superadmins.
type MetricsConfig struct {
	MetricsToken string `env:"METRICS_TOKEN"`
}

func (c *Config) checkMetrics() error {
	if c.MetricsToken != "" && (len(c.MetricsToken) < minSecret || !random(c.MetricsToken)) {
		return errors.New("METRICS_TOKEN is easy to guess: set it to at least 32 random characters, for example from `openssl rand -hex 32`")
	}
	return nil
}
