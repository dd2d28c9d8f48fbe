package keytext_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/keytext"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// The checksums of these were computed elsewhere, by zlib.crc32 of Python and
// repeated division by 62.
const (
	key      = "ak_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd" + "3uWchF"
	appKey   = "sk_live_MNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + "2jolOC"
	zeros    = "ak_live_0000000000000000000000000000000000000000" + "229wFI"
	last     = "ak_live_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz" + "1cNXqx"
	lowSum   = "ak_live_0000000000000000000000000000000000000111" + "00riJo" // with leading zeros in its checksum
	keyHash  = "f058253c7c35dabac9e70a8545bbca86656d332a0b6ec84aa2119f88677aa04e"
	keyShown = "ak_live_0123"
)

// script returns bytes that the test wrote down, again and again.
type script struct {
	bytes []byte
	at    int
	asked []int
}

func (s *script) Bytes(n int) []byte {
	s.asked = append(s.asked, n)
	drawn := make([]byte, n)
	for i := range drawn {
		drawn[i] = s.bytes[s.at%len(s.bytes)]
		s.at++
	}
	return drawn
}

// upTo returns the bytes from 0 to n-1.
func upTo(n int) []byte {
	all := make([]byte, n)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

func TestKnownTexts(t *testing.T) {
	t.Parallel()
	if got := string(keytext.New(keytext.APIKey, &script{bytes: upTo(40)})); got != key {
		t.Errorf("New() of the bytes 0 to 39 = %s, want %s", got, key)
	}
	for kind, texts := range map[keytext.Kind][]string{keytext.APIKey: {key, zeros, last, lowSum}, keytext.AppSecret: {appKey}} {
		for _, text := range texts {
			if !keytext.Valid(kind, text) {
				t.Errorf("Valid(%s, %s) = false", kind, text)
			}
		}
	}
	if got := keytext.Digest(key); got != keyHash {
		t.Errorf("Digest() = %s, want %s", got, keyHash)
	}
	if got := keytext.Hint(keytext.APIKey, key); got != keyShown {
		t.Errorf("Hint() = %s, want %s", got, keyShown)
	}
	if got := keytext.Hint(keytext.AppSecret, appKey); got != "sk_live_MNOP" {
		t.Errorf("Hint() = %s", got)
	}
}

// Every byte but those that would favor some characters gives one, and each
// character has as many bytes.
func TestDrawIsEven(t *testing.T) {
	t.Parallel()
	const rejected = 8
	every := &script{bytes: upTo(256)}
	counts := map[rune]int{}
	// 31 texts of 40 characters take the 248 bytes that count five times.
	for range 31 {
		text := string(keytext.New(keytext.APIKey, every))
		for _, r := range text[len(keytext.APIKey) : len(text)-6] {
			counts[r]++
		}
	}
	for _, r := range alphabet {
		if counts[r] != 31*40/62 {
			t.Errorf("%c was drawn %d times, want %d", r, counts[r], 31*40/62)
		}
	}
	if len(counts) != len(alphabet) {
		t.Errorf("%d characters were drawn, want %d", len(counts), len(alphabet))
	}
	if want := 5*256 - rejected; every.at != want && every.at != want+rejected {
		t.Errorf("%d bytes were drawn, want %d", every.at, want)
	}
}

func TestRejectedBytesAreDrawnAgain(t *testing.T) {
	t.Parallel()
	source := &script{bytes: append([]byte{248, 249, 250, 251, 252, 253, 254, 255}, upTo(40)...)}
	if got := string(keytext.New(keytext.APIKey, source)); got != key {
		t.Errorf("New() = %s, want %s", got, key)
	}
	if want := []int{40, 8}; !slices.Equal(source.asked, want) {
		t.Errorf("asked for %v bytes, want %v", source.asked, want)
	}
	// 247 is the last one that counts.
	if got := string(keytext.New(keytext.APIKey, &script{bytes: []byte{247}})); !strings.HasPrefix(got, "ak_live_zzzz") {
		t.Errorf("New() = %s", got)
	}
}

func TestInvalidTexts(t *testing.T) {
	t.Parallel()
	body := key[:len(key)-6]
	for name, text := range map[string]string{
		"empty": "", "the prefix": "ak_live_", "no checksum": body, "truncated": key[:len(key)-1], "truncated in front": key[1:],
		"extended": key + "0", "extended in front": "0" + key, "with a space": key + " ", "with a line end": key + "\n",
		"another kind": appKey, "another prefix": "ak_test_" + key[8:], "the prefix in capitals": "AK_LIVE_" + key[8:],
		"another kind's prefix": "sk_live_" + key[8:], "no prefix": strings.Repeat("0", len(key)),
		"a character outside the alphabet": checked("ak_live_" + strings.Repeat("-", 40)),
		"an underscore":                    checked("ak_live_" + strings.Repeat("_", 40)),
		"bytes above ASCII":                checked("ak_live_" + strings.Repeat("\xff", 40)),
		"letters above ASCII":              checked("ak_live_" + strings.Repeat("ü", 20)),
		"zero bytes":                       checked("ak_live_" + strings.Repeat("\x00", 40)),
		"another text's checksum":          body + "229wFI",
		"a checksum outside the alphabet":  body + "3uWch-",
		"swapped neighbors":                "ak_live_10" + key[10:],
	} {
		if keytext.Valid(keytext.APIKey, text) {
			t.Errorf("%s: Valid(%q) = true", name, text)
		}
	}
	if keytext.Valid(keytext.AppSecret, key) {
		t.Error("an API key is taken for the secret of an app")
	}
}

// checked is a text with the checksum that it would have.
func checked(body string) string {
	sum := uint32(0xffffffff)
	for _, b := range []byte(body) {
		sum ^= uint32(b)
		for range 8 {
			sum = sum>>1 ^ 0xedb88320*(sum&1)
		}
	}
	sum = ^sum
	digits := make([]byte, 6)
	for i := range digits {
		digits[5-i] = alphabet[sum%62]
		sum /= 62
	}
	return body + string(digits)
}

// One wrong character anywhere is noticed, also one in the checksum.
func TestOneWrongCharacter(t *testing.T) {
	t.Parallel()
	if checked(key[:len(key)-6]) != key {
		t.Fatal("the test computes another checksum")
	}
	for i := range key {
		for _, other := range []byte(alphabet + "_- \x00\xff") {
			if other == key[i] {
				continue
			}
			if text := key[:i] + string([]byte{other}) + key[i+1:]; keytext.Valid(keytext.APIKey, text) {
				t.Errorf("Valid(%q) = true, it differs at %d", text, i)
			}
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, seed := range []string{key, appKey, zeros, last, lowSum, "", "ak_live_", "ak_live_" + strings.Repeat("ü", 23)} {
		f.Add(string(keytext.APIKey), seed)
		f.Add(string(keytext.AppSecret), seed)
	}
	f.Add("", key[8:])
	f.Fuzz(func(t *testing.T, kind, text string) {
		if !keytext.Valid(keytext.Kind(kind), text) {
			return
		}
		if want := checked(text[:len(text)-6]); len(text) != len(kind)+46 || text != want {
			t.Errorf("Valid(%q, %q) = true, want %q", kind, text, want)
		}
		if got := keytext.Hint(keytext.Kind(kind), text); !strings.HasPrefix(text, got) || len(got) != len(kind)+4 {
			t.Errorf("Hint(%q, %q) = %q", kind, text, got)
		}
	})
}
