package cli

import (
	"fmt"
	"regexp"
	"strings"

	"gatehouse.internal/ports/inbound"
)

// explain prints the error of a service and a hint, in terms of the command line.
func (a *app) explain(refused *refusal, called inbound.Descriptor, profile string) {
	style, said := a.style(), refused.Error()
	wrong := refused.Code == "VALIDATION_ERROR" && len(refused.Fields) > 0
	if wrong {
		said = "invalid parameters" // the message names them by JSON Pointers
	}
	_, _ = fmt.Fprintf(a.Err, "%s %s\n", style.in(red, "gatehouse:"), said)
	if wrong {
		rows := make([][]string, 0, len(refused.Fields))
		for _, field := range refused.Fields {
			rows = append(rows, []string{paramWords(field.Path), clean(field.Message)})
		}
		table(a.Err, rows)
	}
	if hint := hintFor(refused, called, profile); hint != "" {
		_, _ = fmt.Fprintln(a.Err, style.in(dim, hint))
	}
}

// hintFor returns a hint for an error; "" if its message suffices.
func hintFor(refused *refusal, called inbound.Descriptor, profile string) string {
	login := "gatehouse login"
	if profile != "" && profile != "default" {
		login += " --profile " + profile
	}
	switch {
	case refused.ended() && called.Access == "public":
		return ""
	case refused.ended():
		return "Run " + login + " to sign in, or set GATEHOUSE_TOKEN to an API key."
	case refused.Code == "VALIDATION_ERROR":
		return "Run gatehouse exec " + called.Name + " --help to list the parameters."
	case refused.Code == "PERMISSION_DENIED":
		return called.Name + " requires: " + called.Access + "."
	case refused.Code == "UNKNOWN_COMMAND":
		return "The service runs a different version than this program."
	default:
		return ""
	}
}

// paramWords converts a JSON Pointer (RFC 6901) to the form of the command line: name=,
// name[2] or name.member.
func paramWords(pointer string) string {
	if pointer == "" || pointer == "/" {
		return "parameters"
	}
	index := regexp.MustCompile(`^[0-9]+$`)
	var words strings.Builder
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, step := range steps {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch {
		case i == 0:
			words.WriteString(step)
		case index.MatchString(step):
			words.WriteString("[" + step + "]")
		default:
			words.WriteString("." + step)
		}
	}
	if len(steps) == 1 {
		words.WriteString("=")
	}
	return clean(words.String())
}
