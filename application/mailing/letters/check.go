package letters

import (
	"fmt"
	"strings"
	"unicode"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
)

// maxSubjectSource bounds the template of a subject, in bytes.
const maxSubjectSource = 500

// maxActions is the maximum number of actions {{…}} in a part of a template: each is
// escaped by its context and rendered for every sample, and anybody may write
// templates.
const maxActions = 200

// maxJudged is the maximum output while a template is validated, in bytes: that of the
// longest one with six optional variables.
const maxJudged = 64 * 2 * MaxSource

// Check fails with a validation fault that names each part of a template which is
// not of the language, does not render, or does not carry the link or code of the
// mail safely.
func Check(t mail.Template, source mail.Source) error {
	if complaints := shape(t, source); complaints != nil {
		return fault.Refuse(complaints...)
	}
	ready, err := compile(source)
	if err != nil {
		return fault.Invalid("/html", said(err))
	}
	cases := samples(t, source)
	if len(cases)*(len(source.HTML)+len(source.Text)) > maxJudged {
		return fault.Invalid("/html", "the template is too long for this many optional variables: use fewer of them")
	}
	for _, values := range cases {
		written, err := ready.write(t, values)
		if err != nil {
			return fault.Invalid("/html", said(err))
		}
		if complaints := judge(t, written, values); complaints != nil {
			return fault.Refuse(complaints...)
		}
	}
	return nil
}

// shape looks at the template as it is written.
func shape(t mail.Template, source mail.Source) []fault.Field {
	var complaints []fault.Field
	known := Variables(t)
	part := func(path, text string, most int) {
		switch {
		case strings.TrimSpace(text) == "":
			complaints = append(complaints, fault.Field{Path: path, Message: "must not be empty"})
		case len(text) > most:
			complaints = append(complaints, fault.Field{Path: path, Message: fmt.Sprintf("must be at most %d bytes", most)})
		case strings.Count(text, "{{") > maxActions:
			complaints = append(complaints, fault.Field{Path: path, Message: fmt.Sprintf("must contain {{ at most %d times", maxActions)})
		default:
			if err := grammar(text, known); err != nil {
				complaints = append(complaints, fault.Field{Path: path, Message: said(err)})
			}
		}
	}
	part("/subject", source.Subject, maxSubjectSource)
	part("/html", source.HTML, MaxSource)
	part("/text", source.Text, MaxSource)
	return complaints
}

// said returns the first line of an error of the template library.
func said(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	const most = 200
	runes := []rune(strings.TrimPrefix(line, "template: :"))
	return string(runes[:min(len(runes), most)])
}

// samples returns values for every combination of optional variables used by a
// template, so that all branches are rendered. There are at least two, with different
// links or codes: a template must not contain that of a sample.
func samples(t mail.Template, source mail.Source) []Values {
	text := source.Subject + source.HTML + source.Text
	optional := []string{varName}
	for _, name := range append(kindOf(t).facts, varLogo, varSupport) {
		if strings.Contains(text, "."+name) {
			optional = append(optional, name)
		}
	}
	all := make([]Values, 0, 1<<len(optional))
	for choice := range 1 << len(optional) {
		values := Sample(t)
		values[varLink], values[varCode] = sampleLink(choice), sampleCode(choice)
		for i, name := range optional {
			if choice&(1<<i) != 0 {
				delete(values, name)
			}
		}
		all = append(all, values)
	}
	return all
}

// judge looks at a mail that was written for sample values.
func judge(t mail.Template, written mail.Source, values Values) []fault.Field {
	var complaints []fault.Field
	complain := func(path, message string) {
		complaints = append(complaints, fault.Field{Path: path, Message: message})
	}
	vital := kindOf(t).vital
	wanted := requirement{value: values[vital], trace: trace(vital, values), link: vital == varLink}
	if written.Subject == "" {
		complain("/subject", "must not be empty for any combination of variables")
	}
	if wanted.link && strings.Contains(written.Subject, wanted.trace) {
		complain("/subject", "must not contain the link")
	}
	if message := inText(written.Text, wanted); message != "" {
		complain("/text", message)
	}
	if message := inHTML(written.HTML, wanted); message != "" {
		complain("/html", message)
	}
	return complaints
}

// requirement is what a mail must contain: nothing if the value is empty.
type requirement struct {
	value string
	// trace is a part of the value that no escaping changes.
	trace string
	// link reports whether it may be the address of an anchor.
	link bool
}

func trace(vital string, values Values) string {
	if vital == varLink {
		_, token, _ := strings.Cut(values[varLink], "token=")
		return token
	}
	return values[vital]
}

// The complaints about the link or code.
const (
	lost   = "must always contain the link or code, even if optional variables are absent"
	misled = "must contain the link or code only as the whole href of an a element or as a separate word"
)

// inText looks for the link or code as a word of its own.
func inText(text string, w requirement) string {
	if w.value == "" {
		return ""
	}
	found, alone := words(text, w)
	switch {
	case !alone:
		return misled
	case !found:
		return lost
	}
	return ""
}

// words reports whether the value occurs in a text, and whether every occurrence is a
// separate word, not part of another address.
func words(text string, w requirement) (found, alone bool) {
	traces := strings.Count(text, w.trace)
	for rest := text; ; {
		before, after, ok := strings.Cut(rest, w.value)
		if !ok {
			return found, traces == 0
		}
		if before == "" && rest != text || !opens(before) {
			return true, false
		}
		found, traces, rest = true, traces-1, after
	}
}

// opens reports whether a word may begin after a text: since the last space there are
// only brackets and quotes. Some of these may be part of an address, so the text before
// them matters.
func opens(before string) bool {
	word := before[len(strings.TrimRightFunc(before, func(r rune) bool { return !unicode.IsSpace(r) })):]
	return strings.Trim(word, `<>()[]"'`) == ""
}
