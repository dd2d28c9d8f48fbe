package id_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/domain/id"
)

type kind struct{}

func (kind) Prefix() string { return "usr" }

func TestParse(t *testing.T) {
	t.Parallel()
	const good = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	pattern := regexp.MustCompile(id.ID[kind]("").SchemaFragment()["pattern"].(string))
	for text, want := range map[string]bool{
		good: true, "usr_7zzzzzzzzzzzzzzzzzzzzzzzzz": true,
		"": false, "usr_": false, "ses_01jd7x9k2mf3q8v5t0abcdefgh": false, "01jd7x9k2mf3q8v5t0abcdefgh": false,
		strings.ToUpper(good): false, good + "0": false, good[:len(good)-1]: false, good + "\n": false,
		"usr_81jd7x9k2mf3q8v5t0abcdefgh": false, "usr_01jd7x9k2mf3q8v5t0abcdefgi": false, "usr_01jd7x9k2mf3q8v5t0abcdefgu": false,
	} {
		parsed, err := id.Parse[kind](text)
		if (err == nil) != want || (err != nil && !errors.Is(err, id.ErrMalformed)) {
			t.Errorf("Parse(%q) = %v, want ok = %v", text, err, want)
		}
		if err == nil && parsed.String() != text {
			t.Errorf("Parse(%q) = %q", text, parsed)
		}
		if !strings.Contains(text, "\n") && pattern.MatchString(text) != want {
			t.Errorf("the schema's pattern takes %q = %v, want %v", text, !want, want)
		}
	}
}
