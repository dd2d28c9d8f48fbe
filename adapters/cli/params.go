package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/spelling"
)

// bodyLimit is the maximum size of a file or standard input, in bytes; equal to that of
// the service.
const bodyLimit = 1 << 20

// params returns the parameters of a call from the words of the command line. A single
// - reads the whole object from standard input; otherwise words are name=value,
// converted according to the schema. The value @file is the content of a file, @- that
// of standard input, and @@text a text that begins with @.
func (a *app) params(schema *shape, words []string) (jsontext.Value, error) {
	if slices.Contains(words, "-") {
		if len(words) > 1 {
			return nil, usagef("- reads all parameters from standard input: remove the other parameters")
		}
		return a.pipedParams()
	}
	object := jsontext.Value{'{'}
	seen, piped := map[string]bool{}, ""
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			// The word is not printed: it may be a secret without its name.
			return nil, usagef("malformed parameter: write name=value, or - to read all parameters from standard input")
		}
		wanted, known := schema.property(name)
		switch {
		case !known:
			return nil, usagef("unknown parameter %q%s", name, spelling.Hint(name, schema.names()))
		case seen[name]:
			return nil, usagef("duplicate parameter %s", name)
		case text == "@-" && piped != "":
			return nil, usagef("only one parameter can be read from standard input: both %s and %s use it", piped, name)
		case text == "@-":
			piped = name
		}
		seen[name] = true
		value, err := a.value(name, text, wanted)
		if err != nil {
			return nil, err
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = appendQuoted(object, name)
		object = append(append(object, ':'), value...)
	}
	return a.missingSecrets(append(object, '}'), schema, seen)
}

// missingSecrets prompts for required secrets that were not given, so that they need
// not be on the command line.
func (a *app) missingSecrets(object jsontext.Value, schema *shape, seen map[string]bool) (jsontext.Value, error) {
	if a.ReadSecret == nil {
		return object, nil
	}
	for _, p := range schema.Properties {
		if seen[p.Name] || !p.Shape.WriteOnly || !slices.Contains(schema.Required, p.Name) {
			continue
		}
		typed, err := a.ReadSecret(a.ctx, p.Name+": ")
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p.Name, err)
		}
		value, err := quoted(p.Name, typed)
		if err != nil {
			return nil, err
		}
		object = object[:len(object)-1]
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(append(appendQuoted(object, p.Name), ':'), value...), '}')
	}
	return object, nil
}

func (a *app) pipedParams() (jsontext.Value, error) {
	text, err := readLimited(a.In, "standard input")
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(strings.TrimSpace(string(text)))
	if !value.IsValid() || value.Kind() != '{' {
		return nil, usagef("standard input must contain a JSON object")
	}
	return value, nil
}

// value converts a text to a JSON value. Errors name the parameter and never contain
// the text.
func (a *app) value(name, text string, wanted *shape) (jsontext.Value, error) {
	text, err := a.resolve(name, text)
	if err != nil {
		return nil, err
	}
	kinds := wanted.kinds()
	typed := jsontext.Value(strings.TrimSpace(text))
	onlyText := !slices.ContainsFunc(kinds, func(kind string) bool { return kind != "string" && kind != "null" })
	switch {
	case len(kinds) > 0 && onlyText:
		return quoted(name, text)
	case typed.IsValid() && conforms(typed, kinds):
		return typed, nil
	case len(kinds) == 0 || slices.Contains(kinds, "string"):
		return quoted(name, text)
	default:
		return nil, usagef("%s must be JSON of type %s", name, wanted.title())
	}
}

// resolve returns the content that a value refers to.
func (a *app) resolve(name, text string) (string, error) {
	reference, refers := strings.CutPrefix(text, "@")
	switch {
	case !refers:
		return text, nil
	case strings.HasPrefix(reference, "@"):
		return reference, nil
	case reference == "-" && a.ReadSecret != nil:
		return a.ReadSecret(a.ctx, name+": ")
	case reference == "-":
		content, err := readLimited(a.In, "standard input")
		return cutLineEnd(string(content)), err
	case reference == "":
		return "", usagef("%s=@ is missing a file name: for a value that starts with @, write @@", name)
	}
	file, err := os.Open(reference) //nolint:gosec // the caller names the file
	if err != nil {
		return "", usagef("read %s: %v", name, err)
	}
	defer func() { _ = file.Close() }()
	content, err := readLimited(file, reference)
	return cutLineEnd(string(content)), err
}

func readLimited(from io.Reader, what string) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, bodyLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", what, err)
	case len(content) > bodyLimit:
		return nil, usagef("%s is larger than %d MiB", what, bodyLimit>>20)
	}
	return content, nil
}

// conforms reports whether a JSON value has one of the types.
func conforms(value jsontext.Value, kinds []string) bool {
	if len(kinds) == 0 {
		return true
	}
	whole := regexp.MustCompile(`^-?[0-9]+$`)
	return slices.ContainsFunc(kinds, func(kind string) bool {
		switch kind {
		case "integer":
			return whole.Match(value)
		case "number":
			return value.Kind() == '0'
		case "boolean":
			return value.Kind() == 't' || value.Kind() == 'f'
		case "object":
			return value.Kind() == '{'
		case "array":
			return value.Kind() == '['
		case "null":
			return value.Kind() == 'n'
		default:
			return false
		}
	})
}

func quoted(name, text string) (jsontext.Value, error) {
	if !utf8.ValidString(text) {
		return nil, usagef("%s is not valid UTF-8", name)
	}
	return appendQuoted(nil, text), nil
}

func appendQuoted(to jsontext.Value, text string) jsontext.Value {
	to, _ = jsontext.AppendQuote(to, text)
	return to
}
