package config

// WebhookConfig says where webhooks may be sent.
type WebhookConfig struct {
	// WebhookPrivate lets them go to this machine and into private networks, WebhookHTTP
	// without TLS. In development both are so.
	WebhookPrivate bool `env:"WEBHOOK_ALLOW_PRIVATE" envDefault:"false"`
	WebhookHTTP    bool `env:"WEBHOOK_ALLOW_HTTP" envDefault:"false"`
}
