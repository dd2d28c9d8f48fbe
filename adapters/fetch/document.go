package fetch

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/ports/outbound"
)

const (
	// largestDocument bounds the description of a client, in bytes: it is a few texts.
	largestDocument = 16 << 10
	// keepUnsaid is how long a document is kept that says nothing of it, keepMost how long at
	// most.
	keepUnsaid = 5 * time.Minute
	keepMost   = 24 * time.Hour
)

var errType = errors.New("the response is not JSON")

var _ outbound.DocumentFetcher = (*Client)(nil)

// Document returns the body of a GET that was answered with 200 and JSON, of at most 16 KiB, in
// at most 5 seconds, and for how long its headers let it be kept (RFC 9111 section 5.2.2, 5.3).
func (c *Client) Document(ctx context.Context, address string) (body []byte, keep time.Duration, err error) {
	answer, body, err := c.get(ctx, address, "application/json", largestDocument)
	if err != nil {
		return nil, 0, err
	}
	media, _, err := mime.ParseMediaType(answer.Get("Content-Type"))
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return nil, 0, errType
	}
	return body, keepFor(answer), nil
}

// keepFor is for how long the headers of an answer let it be kept.
func keepFor(answer http.Header) time.Duration {
	keep := keepUnsaid
	if expires, err := http.ParseTime(answer.Get("Expires")); err == nil {
		if date, err := http.ParseTime(answer.Get("Date")); err == nil {
			keep = expires.Sub(date)
		}
	}
	for _, directive := range strings.Split(strings.Join(answer.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				age, _ := strconv.Atoi(answer.Get("Age")) // absent is none
				keep = time.Duration(min(seconds, int(keepMost/time.Second))-max(age, 0)) * time.Second
			}
		}
	}
	return max(0, min(keep, keepMost))
}
