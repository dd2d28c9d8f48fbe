package letters

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	plain "text/template"
	"unicode"

	"gatehouse.internal/domain/mail"
)

// Limits of a mail: MaxSource is that of the HTML and of the text of a template and
// maxWritten that of their output, in bytes; maxSubject is in characters.
const (
	MaxSource  = 64 << 10
	maxWritten = 512 << 10
	maxSubject = 200
)

// errTooLong is returned for a template that writes more than a mail should be.
var errTooLong = errors.New("the output is too long")

// Render writes the subject, HTML and text of a mail. Values that the template does
// not know are left out; those that are lacking are empty.
func Render(t mail.Template, source mail.Source, values Values) (mail.Source, error) {
	ready, err := compile(source)
	if err != nil {
		return mail.Source{}, err
	}
	return ready.write(t, values)
}

// compiled is a template that is ready to be written.
type compiled struct {
	subject, text *plain.Template
	html          *template.Template
}

func compile(source mail.Source) (c compiled, err error) {
	if c.subject, err = plain.New("").Parse(source.Subject); err != nil {
		return c, fmt.Errorf("subject: %w", err)
	}
	if c.text, err = plain.New("").Parse(source.Text); err != nil {
		return c, fmt.Errorf("text: %w", err)
	}
	if c.html, err = template.New("").Parse(source.HTML); err != nil {
		return c, fmt.Errorf("html: %w", err)
	}
	return c, nil
}

func (c compiled) write(t mail.Template, values Values) (written mail.Source, err error) {
	given := make(map[string]string, len(values))
	for _, name := range Variables(t) {
		given[name] = values[name]
	}
	if written.Subject, err = bounded(c.subject, given); err != nil {
		return mail.Source{}, fmt.Errorf("subject: %w", err)
	}
	written.Subject = oneLine(written.Subject)
	if written.Text, err = bounded(c.text, given); err != nil {
		return mail.Source{}, fmt.Errorf("text: %w", err)
	}
	if written.HTML, err = bounded(c.html, given); err != nil {
		return mail.Source{}, fmt.Errorf("html: %w", err)
	}
	return written, nil
}

// writer is a template of either package.
type writer interface {
	Execute(w io.Writer, data any) error
}

// bounded returns the output of a template, or fails if it exceeds the limit.
func bounded(t writer, values map[string]string) (string, error) {
	var page limited
	if err := t.Execute(&page, values); err != nil {
		return "", err
	}
	return page.String(), nil
}

type limited struct{ strings.Builder }

// Write fails with errTooLong.
func (l *limited) Write(text []byte) (int, error) {
	if l.Len()+len(text) > maxWritten {
		return 0, errTooLong
	}
	return l.Builder.Write(text)
}

// oneLine returns a subject: one line of at most 200 characters.
func oneLine(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	runes := []rune(strings.Join(words, " "))
	return string(runes[:min(len(runes), maxSubject)])
}
