package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

const formType = "application/x-www-form-urlencoded"

// Errors of forms (RFC 6749 section 3.2).
var (
	errForm  = fault.New(fault.Validation, "invalid_request: the body must be a form (application/x-www-form-urlencoded) in UTF-8")
	errTwice = fault.New(fault.Validation, "invalid_request: duplicate parameter: send each parameter once")
	// Clients may send several resources (RFC 8707 section 2), which is not supported.
	errTargets = fault.New(fault.Validation, "invalid_target: only one resource is supported per token")
)

// isForm reports whether the body is a form in UTF-8, uncompressed.
func isForm(header http.Header) bool { return isMedia(header, formType) }

// form are the parameters of an OAuth request. Parameters without a value are omitted,
// and unknown ones are ignored (RFC 6749 section 3.2).
type form map[string]string

// parseForm parses a body. It fails with errForm, errTwice or errTargets.
func parseForm(body []byte) (form, *fault.Error) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errForm
	}
	made := make(form, len(values))
	for name, sent := range values {
		switch {
		case len(sent) != 1 && name == "resource":
			return nil, errTargets
		case len(sent) != 1:
			return nil, errTwice
		case !utf8.ValidString(name) || !utf8.ValidString(sent[0]):
			return nil, errForm
		case sent[0] != "":
			made[name] = sent[0]
		}
	}
	return made, nil
}

// object builds the parameters of a command. Empty texts are omitted.
type object []byte

func (o object) name(name string) object {
	if len(o) == 0 {
		o = append(o, '{')
	} else {
		o = append(o, ',')
	}
	return append(appendText(o, name), ':')
}

func (o object) text(name, value string) object {
	if value == "" {
		return o
	}
	return appendText(o.name(name), value)
}

// number appends an integer; other input is appended as text, so that the command
// reports the error.
func (o object) number(name, value string) object {
	number, err := strconv.Atoi(value)
	if err != nil {
		return o.text(name, value)
	}
	return strconv.AppendInt(o.name(name), int64(number), 10)
}

func (o object) texts(name string, values []string) object {
	if len(values) == 0 {
		return o
	}
	o = append(o.name(name), '[')
	for i, value := range values {
		if i > 0 {
			o = append(o, ',')
		}
		o = appendText(o, value)
	}
	return append(o, ']')
}

func (o object) end() jsontext.Value {
	if len(o) == 0 {
		o = append(o, '{')
	}
	return jsontext.Value(append(o, '}'))
}
