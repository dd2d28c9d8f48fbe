package jose_test

import (
	"strings"
	"testing"

	"gatehouse.internal/adapters/jose"
)

// payload is as large as the claims of an access token.
func payload() string { return `{"sub":"` + strings.Repeat("x", 400) + `"}` }

func BenchmarkSign(b *testing.B) {
	for _, algorithm := range algorithms() {
		key, claims := newKey(b, "k1", algorithm), []byte(payload())
		b.Run(algorithm, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := key.Sign(typ, claims); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, algorithm := range algorithms() {
		key := newKey(b, "k1", algorithm)
		token := sign(b, key, payload())
		b.Run(algorithm, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (jose.JOSE{}).Verify(token, typ, only(key)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGarbage shows what refusing costs before any signature is looked at.
func BenchmarkGarbage(b *testing.B) {
	key := newKey(b, "k1", "ES256")
	find := only(key)
	good := sign(b, key, payload())
	for name, token := range map[string]string{
		"megabyte": strings.Repeat("A", 1<<20),
		"dots":     strings.Repeat(".", 8<<10),
		"8KiB":     good[:strings.IndexByte(good, '.')+1] + strings.Repeat("A", 7<<10) + ".AAAA",
		"kid":      b64(`{"alg":"ES256","kid":"k9","typ":"at+jwt"}`) + good[strings.IndexByte(good, '.'):],
		"header":   b64(`{"alg":"ES256","alg":"none"}`) + good[strings.IndexByte(good, '.'):],
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (jose.JOSE{}).Verify(token, typ, find); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}
