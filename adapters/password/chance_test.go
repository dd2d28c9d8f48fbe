package password_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"gatehouse.internal/adapters/password"
)

// TestChance has texts that people make up lose their characters, and keeps those that
// were drawn.
func TestChance(t *testing.T) {
	t.Parallel()
	for text, most := range map[string]int{
		"":                                            0,
		"abc":                                         3,
		strings.Repeat("k3Vq9xZr", 6):                 8,
		strings.Repeat("x", 40):                       0,
		"abcdefghijklmnopqrstuvwxyz012345":            0,
		"zyxwvutsrqponmlkjihgfedcba987654":            0,
		"02468ACEGIKMOQSUWY13579bdfhjlnpr":            0,
		"aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV":            3,
		"qwertyuiopasdfghjklzxcvbnm123456":            0,
		"QWERTZUIOPlkjhgfdsaYXCVBNM098765":            2,
		"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9":            0,
		"!@#$%^&*()qazwsxedcrfvtgbyhnujm":             0,
		"correcthorsebatterystaplecorrecthorse":       0,
		"P@ssw0rdP4$$word1l3tm3inDr4g0nM0nk3y":        3,
		"MyCompany-JWT-Secret-2024-Production":        14,
		"this is a very secret key for signing":       16,
		"the quick brown fox jumps over the lazy dog": 17,
		"supersecretsupersecretsupersecret!!":         2,
	} {
		if got := password.Chance(text); got > most {
			t.Errorf("Chance(%q) = %d, want at most %d", text, got, most)
		}
	}
	for range 50 {
		raw := make([]byte, 48)
		_, _ = rand.Read(raw)
		for _, text := range []string{hex.EncodeToString(raw[:16]), hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw)} {
			if got := password.Chance(text); got < len(text)/2 {
				t.Errorf("Chance(%q) = %d, though it was drawn", text, got)
			}
		}
	}
}

func BenchmarkChance(b *testing.B) {
	for b.Loop() {
		password.Chance("Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3kq9")
	}
}
