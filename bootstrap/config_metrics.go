package bootstrap

import (
	"errors"
	"net/http"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

// MetricsConfig is who may read GET /metrics beside programs of the same machine and
// superadmins.
type MetricsConfig struct {
	MetricsToken string `env:"METRICS_TOKEN"`
}

func (c *Config) checkMetrics() error {
	if c.MetricsToken != "" && (len(c.MetricsToken) < minSecret || !random(c.MetricsToken)) {
		return errors.New("METRICS_TOKEN is easy to guess: set it to 32 random characters or more, for example from `openssl rand -hex 32`")
	}
	return nil
}

// metrics is the page of metrics, which everybody may read in development.
func (c *Config) metrics(page http.Handler, gate inbound.Gate) httpapi.Metrics {
	return httpapi.Metrics{Page: page, Gate: gate, Token: secret.New(c.MetricsToken), Open: c.Development}
}
