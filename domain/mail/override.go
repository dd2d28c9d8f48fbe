package mail

import (
	"strings"
	"time"

	"gatehouse.internal/domain/workspace"
)

// Override is a customized template.
type Override struct {
	// Org is the workspace that it holds in, empty for the instance.
	Org      workspace.ID
	Template Template
	// Locale is the folded language tag that it is for, empty for any language.
	Locale    string
	Source    Source
	UpdatedAt time.Time
}

// Source is the source of a mail.
type Source struct {
	Subject string `audit:"subject"`
	HTML    string `audit:"html"`
	Text    string `audit:"text"`
}

// FoldLocale returns a language tag as it is compared (BCP 47: without case).
func FoldLocale(tag string) string { return strings.ToLower(tag) }

// Languages returns the locales of templates for a language tag, best first: the tag
// itself, its language, any.
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

// Choose returns the override for a workspace and a language tag: the workspace's
// before the instance's, and the nearest language of each. It returns false if there is
// none.
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
