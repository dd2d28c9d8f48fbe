package pages

import (
	"encoding/base64"
	"html/template"
	"strings"
)

// kept is a secret that people take with them: a page offers to copy, download and
// print it. The file stands in the page, so that nobody is asked for it.
type kept struct {
	// Name is that of the key.
	Name string
	// Text is what is copied.
	Text string
	// FileName and File are what is downloaded.
	FileName, File string
	// For says whose it is, as it is printed.
	For string
}

// keptKey prepares an API key.
func (v *visit) keptKey(s shown) *kept {
	whose := "API key " + s.Name + v.whose()
	return &kept{Name: s.Name, Text: s.Key, FileName: "api-key.txt", File: whose + "\n\n" + s.Key + "\n", For: whose}
}

// keptCodes prepares recovery codes.
func (v *visit) keptCodes(codes []string) kept {
	text := strings.Join(codes, "\n") + "\n"
	whose := "Recovery codes" + v.whose()
	said := whose + "\nMade on " + date(v.site.Clock.Now()) + ". Each lets you in once.\n\n" + text
	return kept{Text: text, FileName: "recovery-codes.txt", File: said, For: whose}
}

// whose says for which account and service a secret is.
func (v *visit) whose() string {
	at := " at " + v.look().Name + " (" + v.site.Host + ")"
	if h := v.holder(); h != nil {
		return " of " + h.Email + at
	}
	return at
}

// file lets a text be the address of a download, and nothing else.
func file(text string) template.URL {
	const plain = "data:text/plain;charset=utf-8;base64,"
	return template.URL(plain + base64.StdEncoding.EncodeToString([]byte(text))) //nolint:gosec // base64 holds no markup, and browsers run no plain text
}
