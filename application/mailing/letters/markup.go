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
func inHTML(page string, w want) string {
	tokens := html.NewTokenizer(strings.NewReader(page))
	found, within := false, ""
	for {
		kind := tokens.Next()
		token := tokens.Token()
		var here finding
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

// finding is the result of checking one part.
type finding struct {
	// found reports whether the value is visible to the reader.
	found bool
	wrong string
}

// element looks at a start tag.
func element(token html.Token, w want) finding {
	if slices.Contains(forbidden(), token.Data) {
		return finding{wrong: "must not contain the element " + token.Data}
	}
	var here finding
	for _, a := range token.Attr {
		name := strings.ToLower(a.Key)
		switch {
		case strings.HasPrefix(name, "on") || name == "ping" || name == "action" || name == "formaction" || name == "http-equiv" || name == "srcdoc":
			return finding{wrong: "must not contain the attribute " + name}
		case token.Data == "a" && name == "href" && w.link && a.Val == w.value:
			here.found = true
		case traced(a.Val, w) != "" || traced(a.Key, w) != "":
			return finding{wrong: misled}
		}
	}
	return here
}

// content looks at a text within an element.
func content(text, within string, w want) finding {
	switch {
	case w.value == "":
		return finding{}
	case within == "style" || within == "title":
		return finding{wrong: traced(text, w)}
	}
	found, alone := words(text, w)
	if !alone {
		return finding{wrong: misled}
	}
	return finding{found: found}
}

// traced returns an error message if a text contains a part of the value, or "".
func traced(text string, w want) string {
	if w.value != "" && strings.Contains(text, w.trace) {
		return misled
	}
	return ""
}
