package config_test

import (
	"strings"
	"testing"

	"gatehouse.internal/bootstrap/config"
)

func TestRedirectConfig(t *testing.T) {
	t.Parallel()
	load := func(value string) (config.Config, error) {
		return config.Load(map[string]string{
			"DATABASE_URL": "sqlite://x.db", "JWT_SECRET": "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U", "SOCIAL_REDIRECT_URLS": value,
		}, true)
	}
	c, err := load("https://app.example/cb,http://localhost:3000/cb,com.example.app:/cb")
	if err != nil || len(c.SocialRedirectURLs) != 3 {
		t.Errorf("Load() = %q, %v", c.SocialRedirectURLs, err)
	}
	for _, wrong := range []string{"https://app.example/*", "https://app.example/cb#x", "http://app.example/cb", "https://me@app.example/cb", "/cb", "https://app.example/cb, /cb"} {
		if _, err := load(wrong); err == nil || !strings.Contains(err.Error(), "SOCIAL_REDIRECT_URLS") || strings.Contains(err.Error(), wrong) {
			t.Errorf("Load() with %q = %v", wrong, err)
		}
	}
}
