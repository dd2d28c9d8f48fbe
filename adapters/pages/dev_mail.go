package pages

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	sent "gatehouse.internal/adapters/mail"
)

// mailbox lists the mails that were sent last.
func (v *visit) mailbox() error {
	return v.show("mailbox", "Mailbox", v.site.Dev.Mailbox.Letters())
}

// letterData is what the page of a mail shows.
type letterData struct {
	sent.Kept

	// Links and Codes are what the mail is for.
	Links, Codes []string
}

func (v *visit) letter() error {
	one, err := v.keptLetter()
	if err != nil {
		return err
	}
	v.frames = true
	return v.show("letter", one.Subject, letterData{Kept: one, Links: vitalLinks(one.Text), Codes: vitalCodes(one.Text)})
}

// keptLetter returns the mail of the address. It fails with errNoPage.
func (v *visit) keptLetter() (sent.Kept, error) {
	all := v.site.Dev.Mailbox.Letters()
	at := slices.IndexFunc(all, func(one sent.Kept) bool { return one.ID == v.r.PathValue("id") })
	if at < 0 {
		return sent.Kept{}, errNoPage
	}
	return all[at], nil
}

// letterPolicy shows a mail as mail programs do: with its styles and pictures, without
// scripts and forms. Its links lead the whole tab on.
const letterPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; frame-ancestors 'self'; " +
	"sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"

// letterBody answers the HTML of a mail as it was sent, for the frame of its page.
func (v *visit) letterBody() error {
	one, err := v.keptLetter()
	if err != nil {
		return err
	}
	v.headers()
	header := v.w.Header()
	header.Set("Content-Security-Policy", letterPolicy)
	header.Set("X-Frame-Options", "SAMEORIGIN")
	header.Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(http.StatusOK)
	const head, base = "<head>", `<base target="_top">`
	body := strings.Replace(one.HTML, head, head+base, 1)
	if body == one.HTML {
		body = base + body
	}
	// A client that left cannot be told anything.
	_, _ = v.w.Write([]byte(body))
	return nil
}

var (
	linkForm = regexp.MustCompile(`https?://[^\s<>"]+[?&]token=[^\s<>"]+`)
	codeForm = regexp.MustCompile(`\b[0-9]{6}\b`)
)

// vitalLinks returns the links of a mail that do something.
func vitalLinks(text string) []string { return distinct(linkForm.FindAllString(text, -1)) }

// vitalCodes returns the codes of a mail that somebody has to type.
func vitalCodes(text string) []string {
	return distinct(codeForm.FindAllString(linkForm.ReplaceAllString(text, ""), -1))
}

func distinct(texts []string) []string {
	var once []string
	for _, text := range texts {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// lettersOf returns the mails of a page that lists them.
func lettersOf(data any) []sent.Kept {
	switch of := data.(type) {
	case []sent.Kept:
		return of
	case deskData:
		return of.Letters
	}
	return nil
}
