package mail

import (
	"strings"
	"time"

	"gatehouse.internal/domain/workspace"
)

// Override is a template that somebody set in place of the built-in one.
type Override struct {
	// Org is the workspace that it holds in, empty for the instance.
	Org      workspace.ID
	Template Template
	// Locale is the folded language tag that it is for, empty for any language.
	Locale    string
	Source    Source
	UpdatedAt time.Time
}

// Source is what a mail is written from.
type Source struct {
	Subject string `audit:"subject"`
	HTML    string `audit:"html"`
	Text    string `audit:"text"`
}

// FoldLocale returns a language tag as it is compared (BCP 47: without case).
func FoldLocale(tag string) string { return strings.ToLower(tag) }

// Languages returns the locales whose templates serve a language tag, best first:
// the tag itself, its language, any.
func Languages(tag string) []string {
	folded := FoldLocale(tag)
	language, _, regional := strings.Cut(folded, "-")
	switch {
	case folded == "":
		return []string{""}
	case regional:
		return []string{folded, language, ""}
	default:
		return []string{folded, ""}
	}
}

// Choose picks what serves a workspace and a language tag best out of the
// overrides of one template: the workspace's before the instance's, and of each
// the nearest language. It is false when none serves.
func Choose(of []Override, org workspace.ID, tag string) (Override, bool) {
	for _, owner := range []workspace.ID{org, ""} {
		for _, locale := range Languages(tag) {
			for _, one := range of {
				if one.Org == owner && one.Locale == locale {
					return one, true
				}
			}
		}
	}
	return Override{}, false
}
