package config_test

import (
	"strings"
	"testing"

	"gatehouse.internal/bootstrap/config"
)

func TestSocialConfig(t *testing.T) {
	t.Parallel()
	c := load(t, "GOOGLE_CLIENT_ID=g", "GOOGLE_CLIENT_SECRET=gs", "GITHUB_CLIENT_ID=h", "GITHUB_CLIENT_SECRET=hs", "DISCORD_CLIENT_ID=", "DISCORD_BASE_URL=")
	if c.Google.ClientID != "g" || c.GitHub.ClientSecret != "hs" || c.Discord.ClientID != "" {
		t.Errorf("config = %+v", c.SocialConfig)
	}
	for change, want := range map[string]string{
		"GOOGLE_CLIENT_ID=only":                  "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET must be set together",
		"DISCORD_CLIENT_SECRET=only-this-secret": "DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET must be set together",
		"GITHUB_BASE_URL=http://localhost:9000":  "GITHUB_BASE_URL is only supported by `gatehouse dev`",
	} {
		_, err := config.Load(good(change), false)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "only-this-secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", change, err)
		}
	}
	for address, ok := range map[string]bool{
		"http://localhost:9000": true, "https://upstream.test/google/": true, "localhost:9000": false, "ftp://localhost": false,
		"http://": false, "http://u:p@localhost": false, "http://localhost?x": false, "http://localhost#x": false,
	} {
		_, err := config.Load(good("GOOGLE_BASE_URL="+address), true)
		if (err == nil) != ok {
			t.Errorf("GOOGLE_BASE_URL=%s: %v", address, err)
		}
	}
}
