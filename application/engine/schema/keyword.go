package schema

import (
	"errors"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

// splitTag splits a jsonschema tag at its commas, except those escaped as \,.
func splitTag(tag string) []string {
	if tag == "" {
		return nil
	}
	parts := strings.Split(strings.ReplaceAll(tag, `\,`, "\x00"), ",")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, "\x00", ",")
	}
	return parts
}

// checkKeyword refuses a keyword that the library ignores or misreads.
func checkKeyword(property *jsonschema.Schema, part string) error {
	keyword, value, found := strings.Cut(part, "=")
	if !found {
		return errors.New("it must be keyword=value")
	}
	kind := property.Type
	if kind == "array" {
		if fits, known := listKeywords()[keyword]; known {
			return verdict(fits(value))
		}
		if strings.Contains(value, "=") || keyword == "default" {
			return errors.New("it is not supported on a list")
		}
		kind = ""
		if property.Items != nil {
			kind = property.Items.Type
		}
	}
	fits, known := keywords(kind)[keyword]
	if !known {
		return errors.New("unknown keyword for a value of type " + strconv.Quote(kind))
	}
	return verdict(fits(value))
}

func verdict(fits bool) error {
	if !fits {
		return errors.New("malformed value")
	}
	return nil
}

// keywords returns the keywords that the library supports for a kind of value, each with the
// check of its argument.
func keywords(kind string) map[string]func(string) bool {
	switch kind {
	case "string":
		return map[string]func(string) bool{
			"minLength": isCount, "maxLength": isCount, "pattern": isPattern, "format": isFormat, "title": isAny,
			"default": isAny, "example": isAny, "enum": isAny, "readOnly": isTruth, "writeOnly": isTruth,
		}
	case "integer", "number":
		return map[string]func(string) bool{
			"minimum": isNumber, "maximum": isNumber, "default": isNumber, "example": isNumber, "title": isAny,
		}
	case "boolean":
		return map[string]func(string) bool{"default": isTruth, "title": isAny}
	default:
		return map[string]func(string) bool{"title": isAny}
	}
}

func listKeywords() map[string]func(string) bool {
	return map[string]func(string) bool{"minItems": isCount, "maxItems": isCount, "uniqueItems": isTrue, "title": isAny}
}

func isAny(string) bool { return true }

func isTrue(value string) bool { return value == "true" }

func isTruth(value string) bool { return value == "true" || value == "false" }

func isCount(value string) bool {
	_, err := strconv.ParseUint(value, 10, 31)
	return err == nil
}

func isNumber(value string) bool {
	_, err := strconv.ParseFloat(value, 64)
	return err == nil
}

func isPattern(value string) bool {
	_, err := pattern(value)
	return err == nil
}
