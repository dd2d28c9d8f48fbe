package schema

import (
	"bytes"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Numbers beyond these limits are refused unparsed: no field can hold them, and the cost of
// arithmetic with them grows with their exponent.
const (
	digitsLimit   = 100
	exponentLimit = 308
)

const (
	outOfRange = "is out of range"
	holdsNull  = "must not contain the character U+0000" // which PostgreSQL cannot store
)

// leaf validates a string, a number or a boolean.
func (w *walk) leaf(n *node) error {
	raw, err := w.reader.ReadValue()
	if err != nil {
		return err
	}
	if n.form == text {
		return w.text(n, raw)
	}
	if n.form == truth {
		return nil
	}
	if wrong := n.number(raw); wrong != "" {
		return w.complain(wrong)
	}
	return nil
}

func (w *walk) text(n *node, raw jsontext.Value) error {
	value := []byte(raw[1 : len(raw)-1])
	if slices.Contains(value, '\\') {
		var err error
		if value, err = jsontext.AppendUnquote(nil, raw); err != nil {
			return err
		}
		if slices.Contains(value, 0) && n.format != credential {
			return w.complain(holdsNull)
		}
	}
	before := len(w.found)
	for _, wrong := range n.text(value) {
		if err := w.complain(wrong); err != nil {
			return err
		}
	}
	if n.read != nil && len(w.found) == before {
		if wrong := n.read(value); wrong != "" {
			return w.complain(wrong)
		}
	}
	return nil
}

// text validates a string.
func (n *node) text(value []byte) (wrong []string) {
	if n.enum != nil && !n.accepted[string(value)] {
		wrong = append(wrong, oneOf(n.enum))
	}
	switch length := int64(utf8.RuneCount(value)); {
	case length < n.least:
		wrong = append(wrong, tooShort(n.least))
	case length > n.most:
		wrong = append(wrong, tooLong(n.most))
	}
	if n.pattern != nil && !n.pattern.Match(value) {
		wrong = append(wrong, "has the wrong format"+expected(n.hint))
	}
	if n.format != "" && !conforms(n.format, string(value)) {
		wrong = append(wrong, "must be "+formatName(n.format))
	}
	return wrong
}

// number returns what is wrong with a number, or "".
func (n *node) number(raw jsontext.Value) string {
	literal := string(raw)
	if value, err := strconv.ParseInt(literal, 10, 64); err == nil && n.least <= value && value <= n.most {
		return ""
	}
	if outlandishNumber(literal) {
		return outOfRange
	}
	value, ok := new(big.Rat).SetString(literal)
	switch {
	case !ok || n.form == integer && !value.IsInt():
		return "must be " + typeNames(n.types)
	case n.low != nil && value.Cmp(n.low) < 0:
		return "must be at least " + decimal(n.low)
	case n.high != nil && value.Cmp(n.high) > 0:
		return "must be at most " + decimal(n.high)
	default:
		return ""
	}
}

// credential is the format of credentials of clients. Every string conforms to it: its command
// refuses all wrong credentials alike.
const credential = "credential"

// isFormat reports whether a format is known: one that is validated here, or email and
// credential, whose texts are validated elsewhere.
func isFormat(name string) bool {
	return slices.Contains([]string{"date-time", "uri", "uuid", "email", credential}, name)
}

func conforms(format, value string) bool {
	switch format {
	case "date-time":
		return isMoment(value)
	case "uri":
		at, err := url.Parse(value)
		return err == nil && at.IsAbs()
	case "uuid":
		return uuidForm().MatchString(value)
	default:
		return true
	}
}

func uuidForm() *regexp.Regexp {
	form, _ := pattern(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	return form
}

// isMoment reports whether a string is a time of RFC 3339 that can be handled. Its year must
// have four digits in UTC, or it could not be encoded again, and it must not be the zero time,
// which would count as absent.
func isMoment(value string) bool {
	const last = 9999
	moment, err := time.Parse(time.RFC3339, value)
	year := moment.UTC().Year()
	return err == nil && year >= 1 && year <= last && !moment.IsZero()
}

// patterns remembers compiled patterns, because most are used by many schemas.
var patterns memo[string, *regexp.Regexp] //nolint:gochecknoglobals // nothing in it depends on who asks

func pattern(text string) (*regexp.Regexp, error) { return patterns.of(text, regexp.Compile) }

// free skips a value that the schema does not restrict. It records an error for what no field
// can hold: a number beyond the limits, or a string with U+0000.
func (w *walk) free() error {
	raw, err := w.reader.ReadValue()
	if err != nil {
		return err
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	for {
		token, err := decoder.ReadToken()
		switch {
		case err != nil:
			return nil //nolint:nilerr // it was read already: this is its end
		case token.Kind() == '0' && outlandishNumber(token.String()):
			return w.complain(outOfRange)
		case token.Kind() == '"' && strings.ContainsRune(token.String(), 0):
			return w.complain(holdsNull)
		}
	}
}

func outlandishNumber(literal string) bool {
	if len(literal) > digitsLimit {
		return true
	}
	at := strings.IndexAny(literal, "eE")
	if at < 0 {
		return false
	}
	exponent, err := strconv.Atoi(literal[at+1:])
	return err != nil || exponent > exponentLimit || exponent < -exponentLimit
}
