package fetch

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"gatehouse.internal/ports/outbound"
)

// largestPicture bounds a picture, in bytes.
const largestPicture = 256 << 10

// svg is the media type of SVG, which DetectContentType does not know.
const svg = "image/svg+xml"

var errPicture = errors.New("the response is not an image")

var _ outbound.PictureFetcher = (*Client)(nil)

// Picture returns the body of a GET that was answered with 200 and a picture, of at most 256 KiB,
// in at most 5 seconds. The content tells its type, except for SVG.
func (c *Client) Picture(ctx context.Context, address string) (outbound.Picture, error) {
	answer, body, err := c.get(ctx, address, "image/png, image/webp, image/jpeg, image/gif, image/svg+xml", largestPicture)
	if err != nil {
		return outbound.Picture{}, err
	}
	kind := http.DetectContentType(body)
	if said, _, err := mime.ParseMediaType(answer.Get("Content-Type")); err == nil && said == svg && strings.HasPrefix(kind, "text/") {
		kind = svg
	}
	if !slices.Contains([]string{"image/png", "image/webp", "image/jpeg", "image/gif", svg}, kind) {
		return outbound.Picture{}, errPicture
	}
	return outbound.Picture{Type: kind, Body: body, Keep: keepFor(answer)}, nil
}
