package email_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/domain/email"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want, folded string }{
		{"plain", "ada@example.com", "ada@example.com", "ada@example.com"},
		{"trimmed, domain folded, local part kept", "  Ada.L@EXAMPLE.Com\n", "Ada.L@example.com", "ada.l@example.com"},
		{"tag and dots kept", "a.d.a+x@example.com", "a.d.a+x@example.com", "a.d.a+x@example.com"},
		{"international domain", "ada@Bücher.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"},
		{"full-width domain is the same mailbox", "ada@ｅxample.com", "ada@example.com", "ada@example.com"},
		{"decomposed letters are composed", "ade\u0301@example.com", "adé@example.com", "adé@example.com"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := email.Parse(test.text)
			if err != nil {
				t.Fatalf("Parse(%q) = %v", test.text, err)
			}
			if got.String() != test.want || got.Folded() != test.folded {
				t.Errorf("Parse(%q) = %s, folded %s, want %s, %s", test.text, got, got.Folded(), test.want, test.folded)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "@", "ada", "ada@", "@example.com", "ada@localhost", "ada@example.com.", "ada@.example.com", "ada@exa mple.com",
		"ada@-example.com", "ada@example-.com", "ada@" + strings.Repeat("a", 64) + ".com",
		"ada@example.com,bob@example.com", "ada@example.com bob@example.com", "a@b@example.com", "Ada <ada@example.com>",
		`"ada l"@example.com`, "ada(x)@example.com", ".ada@example.com", "ada.@example.com", "a..da@example.com",
		"ada\x00@example.com", "ada\r\nBcc: x@example.com", "ada@example.com\x00", "ada＠example.com", "ada\u200b@example.com",
		"ada\u202e@example.com", "ada@[127.0.0.1]", "ada@-example.com", "ada@exa_mple.com", "ada@example..com",
		"ada\ufe0f@example.com", "ada\u034f@example.com", "ada\u3164@example.com", // marks and letters that do not show
		strings.Repeat("a", 65) + "@example.com", "a@" + strings.Repeat("a.", 130) + "com", "ada\xff@example.com",
	} {
		if got, err := email.Parse(text); !errors.Is(err, email.ErrMalformed) {
			t.Errorf("Parse(%q) = %v, %v, want ErrMalformed", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("ada@example.com")
	f.Add("ü@ß.example")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := email.Parse(text)
		if err != nil {
			return
		}
		again, err := email.Parse(parsed.String())
		if err != nil || again != parsed {
			t.Errorf("Parse(%q) = %q, which parses as %q, %v", text, parsed, again, err)
		}
		if strings.Count(parsed.String(), "@") != 1 || len(parsed.String()) > 254 {
			t.Errorf("Parse(%q) = %q", text, parsed)
		}
	})
}

// Mailboxes that a mail server tells apart are not one account: two letters of other
// scripts have those of ASCII as their lower case (U+0130, and U+212A, which NFC
// replaces).
func TestFoldedKeepsScriptsApart(t *testing.T) {
	t.Parallel()
	plain := parsed(t, "mike@example.com").Folded()
	if got := parsed(t, "m\u0130ke@example.com").Folded(); got == plain {
		t.Errorf("an i with a dot above folds to %s", got)
	}
	if a, b := parsed(t, "\u00c9va@example.com").Folded(), parsed(t, "\u00e9va@EXAMPLE.com").Folded(); a != b {
		t.Errorf("%s and %s are one mailbox", a, b)
	}
}

func parsed(t *testing.T, text string) email.Address {
	t.Helper()
	address, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}
