package workspace

import (
	"regexp"
	"strings"
	"time"

	"gatehouse.internal/domain/fault"
)

// Bounds of a slug.
const (
	minSlug = 2
	maxSlug = 48
)

// SlugReserved is how long a slug that was given up is reserved, so that nobody else
// inherits its links.
const SlugReserved = 30 * 24 * time.Hour

// ErrSlugTaken is returned if a slug is used by another workspace, or was until
// recently.
var ErrSlugTaken = fault.Unfit("/slug", "is or recently was the slug of another workspace")

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*[a-z0-9]$`)

// Slug is the name of a workspace in links.
type Slug string

// SchemaFragment describes the slug in a JSON Schema.
func (Slug) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": minSlug, "maxLength": maxSlug, "pattern": slugForm.String(),
		"examples": []any{"analytical-engines"},
	}
}

// SlugOf derives a slug from a name: its ASCII letters and digits, with hyphens in place
// of all else. It returns "" for a name that has fewer than two of them.
func SlugOf(name string) Slug {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := shortened(strings.Join(parts, "-"), maxSlug)
	if len(slug) < minSlug {
		return ""
	}
	return Slug(slug)
}

// The number of characters of the identifier, which is random at its end, that make a
// slug unique: a few to distinguish equal names, and enough to prevent guessing.
const (
	shortTail = 6
	longTail  = 10
)

// Apart returns the slug with a random tail, that of the workspace's identifier. Without
// a slug it is that of a workspace.
func (s Slug) Apart(of ID) Slug {
	if s == "" {
		s = "workspace"
	}
	return Slug(shortened(string(s), maxSlug-shortTail-1)) + "-" + Slug(tail(of, shortTail))
}

// nameless returns the slug of a workspace without a chosen one.
func nameless(of ID, personal bool) Slug {
	if personal {
		return "personal-" + Slug(tail(of, longTail))
	}
	return "workspace-" + Slug(tail(of, longTail))
}

func tail(of ID, length int) string {
	text := of.String()
	return text[max(0, len(text)-length):]
}

func shortened(text string, most int) string {
	return strings.TrimRight(text[:min(len(text), most)], "-")
}
