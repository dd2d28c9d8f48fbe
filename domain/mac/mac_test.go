package mac_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"

	"gatehouse.internal/domain/mac"
)

// plain is the digest as RFC 2104 has it.
func plain(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func TestSum(t *testing.T) {
	t.Parallel()
	secret := []byte("a secret")
	key := mac.New(secret)
	secret[0] = 'b'
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for n := range 100 {
				text := fmt.Sprint(i, n)
				if got, want := key.Sum("purpose", text), plain("a secret", "purpose\x00"+text); !bytes.Equal(got, want) {
					t.Errorf("Sum(%q) = %x, want %x", text, got, want)
				}
			}
		})
	}
	callers.Wait()
}

func TestSecretIsNotPrinted(t *testing.T) {
	t.Parallel()
	key := mac.New([]byte("a secret"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if shown := fmt.Sprintf(verb, key); shown != "key" {
			t.Errorf("%s prints %q", verb, shown)
		}
	}
}
