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
		"http://localhost:80": false, "https://app.example.com:443": false, "https://app.example.com:80": true,
		"http://localhost:443": true, "http://localhost:03000": false, "http://localhost:65536": false,
		"http://localhost:": false, "https://*.example.com": false, "https://app*": false,
		"https://b\u00fccher.example": false, "https://xn--bcher-kva.example": true, "https://app..example.com": false,
		"http://127.0.0.1:3000": true, "http://[::1]:3000": true, "http://[::1": false, "http://::1": false,
		"http://[0:0:0:0:0:0:0:1]": false, "https://app.example.com\n": false, "https://app.example.com:": false,
	} {
		if got := setting.ValidOrigin(text); got != want {
			t.Errorf("ValidOrigin(%q) = %v, want %v", text, got, want)
		}
	}
}
