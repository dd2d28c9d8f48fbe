package development

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/pages/kit"
)

// mailbox lists the most recent mails.
func (v *visit) mailbox() error {
	return v.present("mailbox", "Mailbox", v.dev.Mailbox.Letters())
}

// mailData is the data of the page of a mail.
type mailData struct {
	mail.RecentMail

	// Links and Codes are those found in the mail.
	Links, Codes []string
}

func (v *visit) letter() error {
	one, err := v.keptMail()
	if err != nil {
		return err
	}
	v.Frames = true
	return v.present("letter", one.Subject, mailData{RecentMail: one, Links: linksIn(one.Text), Codes: codesIn(one.Text)})
}

// keptMail returns the mail of the path. It fails with kit.ErrNoPage.
func (v *visit) keptMail() (mail.RecentMail, error) {
	all := v.dev.Mailbox.Letters()
	at := slices.IndexFunc(all, func(one mail.RecentMail) bool { return one.ID == v.Request.PathValue("id") })
	if at < 0 {
		return mail.RecentMail{}, kit.ErrNoPage
	}
	return all[at], nil
}

// letterPolicy is the Content-Security-Policy of a mail: styles and images, no scripts
// and forms. Its links navigate the whole tab.
const letterPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; frame-ancestors 'self'; " +
	"sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"

// letterBody serves the HTML body of a mail for the frame of its page.
func (v *visit) letterBody() error {
	one, err := v.keptMail()
	if err != nil {
		return err
	}
	v.SetHeaders()
	header := v.Writer.Header()
	header.Set("Content-Security-Policy", letterPolicy)
	header.Set("X-Frame-Options", "SAMEORIGIN")
	header.Set("Content-Type", "text/html; charset=utf-8")
	v.Writer.WriteHeader(http.StatusOK)
	const head, base = "<head>", `<base target="_top">`
	body := strings.Replace(one.HTML, head, head+base, 1)
	if body == one.HTML {
		body = base + body
	}
	// The client may have disconnected; there is nobody to report the error to.
	_, _ = v.Writer.Write([]byte(body))
	return nil
}

var (
	linkForm = regexp.MustCompile(`https?://[^\s<>"]+[?&]token=[^\s<>"]+`)
	codeForm = regexp.MustCompile(`\b[0-9]{6}\b`)
)

// linksIn returns the links of a mail that carry a token.
func linksIn(text string) []string { return distinct(linkForm.FindAllString(text, -1)) }

// codesIn returns the codes in a mail.
func codesIn(text string) []string {
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

// lettersOf returns the mails of a page that lists mails.
func lettersOf(data any) []mail.RecentMail {
	switch of := data.(type) {
	case []mail.RecentMail:
		return of
	case startPageData:
		return of.Letters
	}
	return nil
}
