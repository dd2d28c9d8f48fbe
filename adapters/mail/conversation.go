package mail

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/log"
)

// The bounds of what is kept of a conversation.
const (
	maxLines = 100
	maxLine  = 500
)

// conversation keeps what client and server said. The library leaves credentials
// and the letter itself out of it.
type conversation struct{ lines []string }

var _ log.Logger = (*conversation)(nil)

// Debugf keeps one line.
func (c *conversation) Debugf(l log.Log) {
	speaker := "S: "
	if l.Direction == log.DirClientToServer {
		speaker = "C: "
	}
	c.note(speaker + fmt.Sprintf(l.Format, l.Messages...))
}

// Infof keeps one line.
func (c *conversation) Infof(l log.Log) { c.Debugf(l) }

// Warnf keeps one line.
func (c *conversation) Warnf(l log.Log) { c.Debugf(l) }

// Errorf keeps one line.
func (c *conversation) Errorf(l log.Log) { c.Debugf(l) }

func (c *conversation) note(line string) {
	if len(c.lines) < maxLines {
		c.lines = append(c.lines, printable(line, maxLine))
	}
}

// printable makes one line of a text of somebody else's.
func printable(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	runes := []rune(strings.TrimSpace(text))
	return string(runes[:min(len(runes), most)])
}

// maxAnswer is how much of a server's answer is kept with the mail, in characters.
const maxAnswer = 200

// answer returns what the server answered in place of taking a letter, without the
// addresses that it may repeat.
func answer(failed *gomail.SendError) string {
	code := strconv.Itoa(failed.ErrorCode())
	text := failed.Error()
	if at := strings.Index(text, code); at >= 0 {
		text = text[at:]
	} else {
		text = code
	}
	text, _, _ = strings.Cut(text, ", affected ")
	text = strings.ReplaceAll(text, `"`, "")
	text = regexp.MustCompile(`<?[^\s<>]+@[^\s<>]+>?`).ReplaceAllString(text, "<address>")
	return "the mail server responded: " + printable(text, maxAnswer)
}
