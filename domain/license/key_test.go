package license_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"gatehouse.internal/domain/license"
)

// counting returns bytes that count up from zero.
type counting struct{ at byte }

func (c *counting) Bytes(n int) []byte {
	drawn := make([]byte, n)
	for i := range drawn {
		drawn[i] = c.at
		c.at++
	}
	return drawn
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	sum := sha256.Sum256([]byte(crockford[:20]))
	var check strings.Builder
	for _, b := range sum[:5] {
		check.WriteByte(crockford[b%32])
	}
	want := "LIC-01234-56789-ABCDE-FGHJK-" + check.String()
	key := string(license.NewKey(&counting{}))
	if key != want {
		t.Fatalf("NewKey() = %s, want %s", key, want)
	}
	canonical, ok := license.ReadKey(key)
	if !ok || license.Shown(canonical) != key {
		t.Fatalf("ReadKey(%s) = %s, %t", key, canonical, ok)
	}
	for name, text := range map[string]string{
		"lower case": strings.ToLower(key), "no hyphens": strings.ReplaceAll(key, "-", ""), "blanks": " " + strings.ReplaceAll(key, "-", " ") + "\n",
		"no prefix": strings.TrimPrefix(key, "LIC-"), "look-alikes": strings.NewReplacer("0", "o", "1", "l").Replace(key),
		"other look-alikes": "L1C" + strings.NewReplacer("0", "O", "1", "I").Replace(key[3:]),
	} {
		if got, ok := license.ReadKey(text); !ok || got != canonical {
			t.Errorf("%s: ReadKey(%q) = %q, %t", name, text, got, ok)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "the prefix": "LIC-", "too short": key[:len(key)-1], "too long": key + "0", "another letter": strings.Replace(key, "A", "U", 1),
		"another prefix": "KEY" + key[3:], "above ASCII": strings.Replace(key, "A", "Å", 1), "swapped neighbors": strings.Replace(key, "01234", "10234", 1),
	} {
		if got, ok := license.ReadKey(text); ok {
			t.Errorf("%s: ReadKey(%q) = %q", name, text, got)
		}
	}
	// Groups that begin like the prefix are read without it.
	sum = sha256.Sum256([]byte("11C23456789ABCDEFGHJ"))
	own := "11C23456789ABCDEFGHJ"
	for _, b := range sum[:5] {
		own += string(crockford[b%32])
	}
	for _, text := range []string{own, "LIC-" + own} {
		if got, ok := license.ReadKey(text); !ok || got != own {
			t.Errorf("ReadKey(%q) = %q, %t", text, got, ok)
		}
	}
	// One wrong character among the 20 is noticed but for one in 2^25.
	for i := range canonical[:20] {
		if wrong := canonical[:i] + string("Z0"[min(1, strings.Count(canonical[i:i+1], "Z"))]) + canonical[i+1:]; wrong != canonical {
			if _, ok := license.ReadKey(wrong); ok {
				t.Errorf("%s is taken for %s", wrong, canonical)
			}
		}
	}
}
