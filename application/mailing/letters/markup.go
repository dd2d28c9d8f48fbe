package letters

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// forbidden are elements that mail programs do not support, or that could send the
// contents of a mail elsewhere.
func forbidden() []string {
	return []string{
		"applet", "audio", "base", "button", "embed", "form", "frame", "frameset", "iframe", "input", "link", "math",
		"noscript", "object", "plaintext", "script", "select", "source", "svg", "template", "textarea", "video", "xmp",
	}
}

// inHTML looks at every element and text of a mail that was written.
func inHTML(page string, w requirement) string {
	tokens := html.NewTokenizer(strings.NewReader(page))
	found, within := false, ""
	for {
		kind := tokens.Next()
		token := tokens.Token()
		var here partResult
		switch kind {
		case html.ErrorToken:
			if !found && w.value != "" {
				return lost
			}
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			here, within = element(token, w), token.Data
		case html.EndTagToken:
			within = ""
		case html.TextToken:
			here = content(token.Data, within, w)
		default:
			here.wrong = traced(token.Data, w)
		}
		if here.wrong != "" {
			return here.wrong
		}
		found = found || here.found
	}
}

// partResult is the result of checking one part.
type partResult struct {
	// found reports whether the value is visible to the reader.
	found bool
	wrong string
}

// element looks at a start tag.
func element(token html.Token, w requirement) partResult {
	if slices.Contains(forbidden(), token.Data) {
		return partResult{wrong: "must not contain the element " + token.Data}
	}
	var here partResult
	for _, a := range token.Attr {
		name := strings.ToLower(a.Key)
		switch {
		case strings.HasPrefix(name, "on") || name == "ping" || name == "action" || name == "formaction" || name == "http-equiv" || name == "srcdoc":
			return partResult{wrong: "must not contain the attribute " + name}
		case token.Data == "a" && name == "href" && w.link && a.Val == w.value:
			here.found = true
		case traced(a.Val, w) != "" || traced(a.Key, w) != "":
			return partResult{wrong: misled}
		}
	}
	return here
}

// content looks at a text within an element.
func content(text, within string, w requirement) partResult {
	switch {
	case w.value == "":
		return partResult{}
	case within == "style" || within == "title":
		return partResult{wrong: traced(text, w)}
	}
	found, alone := words(text, w)
	if !alone {
		return partResult{wrong: misled}
	}
	return partResult{found: found}
}

// traced returns an error message if a text contains a part of the value, or "".
func traced(text string, w requirement) string {
	if w.value != "" && strings.Contains(text, w.trace) {
		return misled
	}
	return ""
}
