package kit

import (
	"encoding/base64"
	"html/template"
	"strings"
)

// Kept is a secret that the page offers to copy, download and print. The file is a
// data: URL in the page, so the server need not store it.
type Kept struct {
	// Name is the name of the key.
	Name string
	// Text is the text to copy.
	Text string
	// FileName and File are the name and the content of the download.
	FileName, File string
	// For names the account and the service, for the printout.
	For string
}

// KeptKey returns an API key to keep.
func (v *Visit) KeptKey(s Shown) *Kept {
	whose := "API key " + s.Name + v.secretOwner()
	return &Kept{Name: s.Name, Text: s.Key, FileName: "api-key.txt", File: whose + "\n\n" + s.Key + "\n", For: whose}
}

// KeptCodes returns recovery codes to keep.
func (v *Visit) KeptCodes(codes []string) Kept {
	text := strings.Join(codes, "\n") + "\n"
	whose := "Recovery codes" + v.secretOwner()
	said := whose + "\nCreated on " + Date(v.Site.Clock.Now()) + ". Each code works once.\n\n" + text
	return Kept{Text: text, FileName: "recovery-codes.txt", File: said, For: whose}
}

// secretOwner returns the account and the service that a secret belongs to.
func (v *Visit) secretOwner() string {
	at := " at " + v.Look().Name + " (" + v.Site.Host + ")"
	if h := v.holder(); h != nil {
		return " of " + h.Email + at
	}
	return at
}

// file returns a text as a data: URL for a download link.
func file(text string) template.URL {
	const plain = "data:text/plain;charset=utf-8;base64,"
	return template.URL(plain + base64.StdEncoding.EncodeToString([]byte(text))) //nolint:gosec // base64 holds no markup, and browsers run no plain text
}
