package config

import (
	"errors"

	"gatehouse.internal/domain/app"
)

// BillingConfig is about what is sold.
type BillingConfig struct {
	// BillingReturnURLs may be returned to after a payment, besides the redirect URLs of the
	// apps of the workspace that sells. They match exactly.
	BillingReturnURLs []string `env:"BILLING_RETURN_URLS"`
}

func (c *BillingConfig) checkBilling() error {
	for _, address := range c.BillingReturnURLs {
		if app.RedirectFault(address) != "" {
			return errors.New("BILLING_RETURN_URLS holds what nobody may be sent to: set it to addresses such as https://app.example.com/bought, without fragment, user info or *, separated by commas")
		}
	}
	return nil
}
