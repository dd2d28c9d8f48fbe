package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// prefersPage reports whether a client prefers HTML to JSON (RFC 9110 section 12.5.1),
// as browsers do on navigation. A client that accepts both equally gets JSON.
func prefersPage(r *http.Request) bool {
	var page, data float64
	for _, one := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, options, err := mime.ParseMediaType(one)
		if err != nil {
			continue
		}
		quality := 1.0
		if text, given := options["q"]; given {
			quality, _ = strconv.ParseFloat(text, 64) // invalid numbers are 0
		}
		switch media {
		case "text/html":
			page = quality
		case "application/json", "application/*", "*/*":
			data = max(data, quality)
		}
	}
	return page > data
}
