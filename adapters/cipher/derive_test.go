package cipher_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"testing"

	"gatehouse.internal/adapters/cipher"
)

// hkdf32 is HKDF-SHA256 for up to 32 bytes, written out from RFC 5869.
func hkdf32(secret []byte, info string) []byte {
	extract := hmac.New(sha256.New, make([]byte, sha256.Size))
	extract.Write(secret)
	expand := hmac.New(sha256.New, extract.Sum(nil))
	expand.Write([]byte(info + "\x01"))
	return expand.Sum(nil)
}

func TestDerive(t *testing.T) {
	t.Parallel()
	secret := []byte("a secret")
	if got, want := cipher.Derive(secret, "refresh", 32), hkdf32(secret, "gatehouse/v1/refresh"); !bytes.Equal(got, want) {
		t.Errorf("Derive = %x, want %x", got, want)
	}
	if bytes.Equal(cipher.Derive(secret, "a", 32), cipher.Derive(secret, "b", 32)) {
		t.Error("two purposes give the same key")
	}
	for _, n := range []int{1, 16, 32, 64, 8160} {
		if got := len(cipher.Derive(secret, "a", n)); got != n {
			t.Errorf("Derive gave %d bytes, want %d", got, n)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	secret := keyBytes(1, 32)
	b := cipher.NewBlinder(secret)
	secret[0] ^= 1 // the key is copied
	mac := hmac.New(sha256.New, keyBytes(1, 32))
	mac.Write([]byte("email\x00alice@example.com"))
	want := base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
	if got := b.Index("email", "alice@example.com"); got != want {
		t.Errorf("Index = %q, want %q", got, want)
	}
	seen := map[string]string{}
	for _, c := range [][2]string{{"email", "a"}, {"email", "b"}, {"emai", "la"}, {"ip", "a"}, {"email", ""}, {"", "emaila"}} {
		index := b.Index(c[0], c[1])
		if other, twice := seen[index]; twice || len(index) != 22 {
			t.Errorf("Index(%q) = %q, as of %q", c, index, other)
		}
		seen[index] = c[0] + "/" + c[1]
	}
	if cipher.NewBlinder(keyBytes(2, 32)).Index("email", "alice@example.com") == want {
		t.Error("another key gives the same index")
	}
}

func TestMistakesPanic(t *testing.T) {
	t.Parallel()
	for name, mistake := range map[string]func(){
		"derive from nothing": func() { cipher.Derive(nil, "a", 32) },
		"derive too much":     func() { cipher.Derive([]byte("a"), "a", 8161) },
		"empty secret":        func() { cipher.FromSecret("", "a", nil) },
		"short index key":     func() { cipher.NewBlinder(keyBytes(1, 31)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			mistake()
		})
	}
}
