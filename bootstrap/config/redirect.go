package config

import (
	"errors"

	"gatehouse.internal/domain/app"
)

// RedirectConfig configures redirect addresses of logins at providers and by mail.
type RedirectConfig struct {
	// SocialRedirectURLs are allowed redirect addresses of logins, in addition to the
	// redirect URLs of the operator's apps. They match exactly.
	SocialRedirectURLs []string `env:"SOCIAL_REDIRECT_URLS"`
}

func (c *RedirectConfig) checkRedirects() error {
	for _, address := range c.SocialRedirectURLs {
		if app.RedirectFault(address) != "" {
			return errors.New("SOCIAL_REDIRECT_URLS contains an invalid URL: set it to URLs such as https://app.example.com/callback, separated by commas, without fragment, user info or *")
		}
	}
	return nil
}
