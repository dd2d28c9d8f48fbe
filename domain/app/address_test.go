package app_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
)

func TestRedirectURLs(t *testing.T) {
	t.Parallel()
	everywhere := []string{
		"https://app.example.com/callback", "https://app.example.com", "https://app.example.com:8443/cb?tenant=1",
		"https://[2001:db8::1]/cb", "http://localhost:3000/cb", "http://127.0.0.1/cb", "http://127.8.8.8:1/", "http://[::1]:8080/cb",
		"https://a.example/%C3%A9",
	}
	native := []string{"com.example.app:/callback", "com.example.app://callback", "com.example.app:/"}
	nowhere := []string{
		"", "/callback", "//app.example.com/cb", "app.example.com", "https:///cb", "https:app.example.com",
		"https://app.example.com/cb#fragment", "https://app.example.com/cb#", "https://user@app.example.com/cb", "https://u:p@app.example.com/",
		"https://*.example.com/cb", "https://app.example.com/*", "http://app.example.com/cb", "http://localhost.example.com/cb",
		"http://127.0.0.1.example.com/", "http://2130706433/", "http://0.0.0.0/cb", "http://10.0.0.1/", "http:///cb",
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://app.example.com/",
		"myapp:/callback", "com.example.app:callback", "https://app.example.com/ cb", "https://app.example.com\\@evil.example/",
		"https://app.example.com/cb\n", "https://äpp.example.com/", "https://app.example.com/<x>", "https://app.example.com:port/", "https://app.example.com:0/", "http://127.0.0.1:65536/cb", "http://[::1]:99999/",
		"https://app.example.com/%zz", "https://app.example.com/" + strings.Repeat("a", 2048),
	}
	try := func(kind app.Type, address string) error {
		_, err := app.Register(app.Registration{Type: kind, RedirectURLs: []string{address}}, noon())
		return err
	}
	for _, kind := range []app.Type{app.Service, app.Web, app.SPA, app.Native} {
		for _, address := range everywhere {
			if err := try(kind, address); err != nil {
				t.Errorf("%s: %s: %v", kind, address, err)
			}
		}
		for _, address := range nowhere {
			wantPath(t, try(kind, address), "/redirect_urls/0")
		}
		for _, address := range native {
			if err := try(kind, address); (err == nil) != (kind == app.Native) {
				t.Errorf("%s: %s: %v", kind, address, err)
			}
		}
	}
}
