package development

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Pretty formats JSON for display: indented, with names and values marked up by class.
func Pretty(raw []byte) template.HTML {
	value := jsontext.Value(strings.Clone(string(raw)))
	if value.Indent(jsontext.WithIndent("  ")) != nil {
		return template.HTML(template.HTMLEscapeString(string(raw))) //nolint:gosec // escaped
	}
	var out strings.Builder
	for len(value) > 0 {
		size, class := nextToken(value)
		text := template.HTMLEscapeString(string(value[:size]))
		if class != "" {
			text = `<span class="` + class + `">` + text + `</span>`
		}
		out.WriteString(text)
		value = value[size:]
	}
	return template.HTML(out.String()) //nolint:gosec // every part is escaped
}

// quotedText matches a JSON string.
var quotedText = regexp.MustCompile(`^"(\\.|[^"\\])*"`)

// nextToken returns the length of the first token of indented JSON and its CSS class.
func nextToken(value jsontext.Value) (size int, class string) {
	const structure = "{}[],: \n"
	if found := quotedText.FindIndex(value); found != nil {
		if found[1] < len(value) && value[found[1]] == ':' {
			return found[1], "j-name"
		}
		return found[1], "j-text"
	}
	if rest := bytes.TrimLeft(value, structure); len(rest) < len(value) {
		return len(value) - len(rest), ""
	}
	if end := bytes.IndexAny(value, structure); end > 0 {
		return end, "j-value"
	}
	return len(value), "j-value"
}
