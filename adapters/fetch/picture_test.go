package fetch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"code.dny.dev/ssrf"

	"gatehouse.internal/adapters/fetch"
)

const pngHead = "\x89PNG\r\n\x1a\n"

// A picture has the type that its content tells, whatever its header says.
func TestPicture(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, body, kind string }{
		"PNG":                  {"image/png", pngHead + "...", "image/png"},
		"PNG as something":     {"text/html", pngHead + "...", "image/png"},
		"JPEG":                 {"image/jpeg", "\xff\xd8\xff\xe0...", "image/jpeg"},
		"GIF":                  {"image/gif", "GIF89a...", "image/gif"},
		"WebP":                 {"image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 ...", "image/webp"},
		"SVG":                  {"image/svg+xml; charset=utf-8", `<svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml"},
		"SVG with declaration": {"image/svg+xml", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml"},
		"a page":               {"text/html", "<!doctype html><title>Hi</title>", ""},
		"a page called PNG":    {"image/png", "<!doctype html><title>Hi</title>", ""},
		"JSON":                 {"application/json", `{"keys":[]}`, ""},
		"nothing":              {"image/png", "", ""},
		"a large picture":      {"image/png", pngHead + strings.Repeat("a", 256<<10), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.said)
				_, _ = w.Write([]byte(c.body))
			})
			got, err := client.Picture(t.Context(), address)
			if c.kind == "" {
				if err == nil {
					t.Errorf("Picture() = %q, want an error", got.Type)
				}
				return
			}
			if err != nil || got.Type != c.kind || string(got.Body) != c.body || got.Keep == 0 {
				t.Errorf("Picture() = %q, %q, %v, %v", got.Type, got.Body, got.Keep, err)
			}
		})
	}
}

// A picture is not fetched from a private network, nor from where a redirect leads.
func TestPictureStaysOutside(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]"} {
		if _, err := fetch.New(fetch.Options{}).Picture(t.Context(), "https://"+host+"/logo.png"); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("Picture(%s) = %v, want ErrProhibitedIP", host, err)
		}
	}
	address, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			t.Error("the redirect was followed")
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	})
	if got, err := client.Picture(t.Context(), address); err == nil {
		t.Errorf("Picture() = %q, want an error", got.Type)
	}
}
