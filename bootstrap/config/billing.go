package config

import (
	"cmp"
	"errors"
	"strings"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/mollie"
	"gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/adapters/payment/paypal"
	"gatehouse.internal/adapters/payment/polar"
	"gatehouse.internal/adapters/payment/stripe"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
)

// BillingConfig configures sales.
type BillingConfig struct {
	// BillingReturnURLs are allowed return addresses of checkouts, in addition to the
	// redirect URLs of the seller's apps. They match exactly.
	BillingReturnURLs []string `env:"BILLING_RETURN_URLS"`

	Stripe ProcessorConfig `envPrefix:"STRIPE_"`
	Polar  ProcessorConfig `envPrefix:"POLAR_"`
	Paddle ProcessorConfig `envPrefix:"PADDLE_"`
	// PaddleClientToken is the client-side token of the page /pay/paddle.
	PaddleClientToken string `env:"PADDLE_CLIENT_TOKEN"`

	Mollie ProcessorConfig `envPrefix:"MOLLIE_"`
	// PayPal's secret key is an identifier and a secret, separated by a colon.
	PayPal ProcessorConfig `envPrefix:"PAYPAL_"`
}

// ProcessorConfig configures a payment processor. Its secret key enables it.
type ProcessorConfig struct {
	SecretKey     string `env:"SECRET_KEY"`
	WebhookSecret string `env:"WEBHOOK_SECRET"`
	// Mode is test or live, for keys that do not show it.
	Mode string `env:"MODE"`
	// BaseURL overrides the processor's address in development.
	BaseURL string `env:"BASE_URL"`
}

// seller is a configured payment processor.
type seller struct {
	ProcessorConfig

	name product.Processor
	// mode returns the mode of a key, or "" if the key does not show it; nil if no key
	// does.
	mode func(key string) billing.Mode
	// clientToken is the client-side token, and tokenMode returns its mode; nil if the
	// processor needs no page.
	clientToken string
	tokenMode   func(token string) billing.Mode
	// paired reports whether the key consists of two parts.
	paired bool
	// unsigned reports whether webhooks are verified by asking the processor, without a
	// secret.
	unsigned bool
}

func (c *BillingConfig) sellers() []seller {
	return []seller{
		{ProcessorConfig: c.Stripe, name: stripe.Name, mode: stripe.Mode},
		{ProcessorConfig: c.Polar, name: polar.Name},
		{ProcessorConfig: c.Paddle, name: paddle.Name, mode: paddle.Mode, clientToken: c.PaddleClientToken, tokenMode: paddle.TokenMode},
		{ProcessorConfig: c.Mollie, name: mollie.Name, mode: mollie.Mode, unsigned: true},
		{ProcessorConfig: c.PayPal, name: paypal.Name, paired: true},
	}
}

func (c *Config) checkBilling() error {
	var mistakes []error
	for _, address := range c.BillingReturnURLs {
		if app.RedirectFault(address) != "" {
			mistakes = append(mistakes, errors.New("BILLING_RETURN_URLS contains an invalid URL: set it to URLs such as https://app.example.com/bought, separated by commas, without fragment, user info or *"))
			break
		}
	}
	for _, one := range c.sellers() {
		mistakes = append(mistakes, one.check(c.Development)...)
	}
	return errors.Join(mistakes...)
}

func (s seller) check(development bool) (mistakes []error) {
	prefix := strings.ToUpper(string(s.name))
	add := func(wrong bool, text string) {
		if wrong {
			mistakes = append(mistakes, errors.New(prefix+text))
		}
	}
	add(!s.unsigned && (s.SecretKey == "") != (s.WebhookSecret == ""), "_SECRET_KEY and "+prefix+"_WEBHOOK_SECRET must be set together: set both or neither")
	add(s.unsigned && s.WebhookSecret != "", "_WEBHOOK_SECRET is not used, because webhooks of this processor are not signed: remove it")
	id, key, _ := strings.Cut(s.SecretKey, ":")
	add(s.paired && s.SecretKey != "" && (id == "" || key == ""), "_SECRET_KEY is malformed: set it to client ID and secret, separated by a colon")
	known := s.Mode == "" || s.Mode == string(billing.Test) || s.Mode == string(billing.Live)
	add(!known, "_MODE is invalid: set it to test or live")
	if s.SecretKey != "" && known {
		mode := s.keyMode()
		add(mode == "" && s.Mode == "", "_MODE is missing and cannot be derived from the key: set it to test or live")
		add(mode != "" && s.Mode != "" && string(mode) != s.Mode, "_MODE does not match the mode of "+prefix+"_SECRET_KEY: remove it")
		add(s.tokenMode != nil && s.tokenMode(s.clientToken) != cmp.Or(mode, billing.Mode(s.Mode)), "_CLIENT_TOKEN is not a client-side token for the mode of "+prefix+"_SECRET_KEY: set it to a matching token")
	}
	_, plain := ProviderConfig{BaseURL: s.BaseURL}.base()
	add(s.BaseURL != "" && !development, "_BASE_URL is only supported by `gatehouse dev`: remove it")
	add(s.BaseURL != "" && development && !plain, "_BASE_URL is invalid: set it to a URL such as http://localhost:9000")
	return mistakes
}

// keyMode returns the mode of the key.
func (s seller) keyMode() billing.Mode {
	if s.mode == nil {
		return ""
	}
	return s.mode(s.SecretKey)
}

// Processors returns the options of the enabled payment processors.
func (c *Config) Processors() []payment.Options {
	var all []payment.Options
	for _, one := range c.sellers() {
		if one.SecretKey == "" {
			continue
		}
		mode := one.keyMode()
		if mode == "" {
			mode = billing.Mode(one.Mode)
		}
		all = append(all, payment.Options{
			Processor: one.name, Mode: mode, SecretKey: secret.New(one.SecretKey), WebhookSecret: secret.New(one.WebhookSecret),
			ClientToken: one.clientToken, BaseURL: strings.TrimRight(one.BaseURL, "/"), Host: c.ServiceHost,
		})
	}
	return all
}
