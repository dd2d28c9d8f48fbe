package config

// WebhookConfig configures allowed webhook addresses.
type WebhookConfig struct {
	// WebhookPrivate allows addresses of this machine and of private networks, and
	// WebhookHTTP those without TLS. In development both are allowed.
	WebhookPrivate bool `env:"WEBHOOK_ALLOW_PRIVATE" envDefault:"false"`
	WebhookHTTP    bool `env:"WEBHOOK_ALLOW_HTTP" envDefault:"false"`
}
