package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// assetPath is the prefix of asset addresses. Asset names contain a digest, so
// responses are immutable and cached without expiry.
const assetPath = "/assets/"

type asset struct {
	kind string
	body []byte
}

// assets are the static files of the pages, by hashed name.
type assets struct {
	files map[string]asset
	// names maps the plain name of a file to its address.
	names map[string]string
}

// devPrefix begins the names of files that only the development pages load.
const devPrefix = "dev."

func loadAssets(files fs.FS, development bool) (*assets, error) {
	a := &assets{files: map[string]asset{}, names: map[string]string{}}
	entries, err := fs.ReadDir(files, "assets")
	if err != nil {
		return nil, fmt.Errorf("list the assets: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), devPrefix) && !development {
			continue
		}
		body, err := fs.ReadFile(files, path.Join("assets", entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read an asset: %w", err)
		}
		a.add(entry.Name(), body)
	}
	return a, nil
}

// kindOf returns the media type of a file extension. It does not consult the system's
// MIME table, which differs between machines.
func kindOf(extension string) string {
	switch extension {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

func (a *assets) add(name string, body []byte) {
	const enough = 8
	sum := sha256.Sum256(body)
	extension := path.Ext(name)
	hashed := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:enough]) + extension
	a.files[hashed] = asset{kind: kindOf(extension), body: body}
	a.names[name] = assetPath + hashed
}

func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	file, known := a.files[name]
	if !known {
		var colors branding.Colors
		if colors, known = colorsOf(name); !known {
			http.NotFound(w, r)
			return
		}
		file = asset{kind: kindOf(stylesheetSuffix), body: []byte(stylesheet(colors))}
	}
	header := w.Header()
	header.Set("Content-Type", file.kind)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	// The client may have disconnected; there is nobody to report the error to.
	_, _ = w.Write(file.body)
}

// LogoPath is the prefix of the addresses of logos.
const LogoPath = "/oauth/logo/"

// logoHandler serves the logos of applications.
type logoHandler struct {
	logos  inbound.Logos
	logger *slog.Logger
}

// ServeHTTP serves the logo of an application. An SVG may contain scripts: it is
// sandboxed, in case a browser opens it as a page.
func (h logoHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	picture, err := h.logos.Logo(r.Context(), r.PathValue("client"))
	if err != nil {
		failure, known := errors.AsType[*fault.Error](err)
		if !known {
			h.logger.ErrorContext(r.Context(), "logo not served", "client_id", r.PathValue("client"), "error", err)
			failure = fault.From(err)
		}
		w.WriteHeader(inbound.StatusOf(failure))
		return
	}
	header := w.Header()
	header.Set("Content-Type", picture.Type)
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "public, max-age=3600")
	// The client may have disconnected; there is nobody to report the error to.
	_, _ = w.Write(picture.Body)
}
