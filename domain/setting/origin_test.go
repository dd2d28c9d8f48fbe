package setting_test

import (
	"testing"

	"gatehouse.internal/domain/setting"
)

func TestValidOrigin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://app.example.com": true, "http://localhost:3000": true, "*": true,
		"": false, "app.example.com": false, "https://app.example.com/": false, "https://app.example.com/x": false,
		"https://user@app.example.com": false, "ftp://app.example.com": false, "https://*.example.com/..": false,
		"https://App.example.com": false, "null": false, "https://": false, "https://a?x": false, "https://a#x": false,
	} {
		if got := setting.ValidOrigin(text); got != want {
			t.Errorf("ValidOrigin(%q) = %v, want %v", text, got, want)
		}
	}
}
