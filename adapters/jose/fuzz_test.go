package jose_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/ports/outbound/crypt"
)

// FuzzVerify holds that nothing but the token itself is accepted, and that
// nothing panics.
func FuzzVerify(f *testing.F) {
	key := newKey(f, "k1", "ES256")
	good := sign(f, key, `{"sub":"usr_1"}`)
	for _, seed := range []string{
		good, good[:len(good)-1], good + "=", strings.ToUpper(good), "", "..", "a.b.c",
		b64(`{"alg":"none","kid":"k1","typ":"at+jwt"}`) + ".e30.", good + "." + good,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		verified, err := jose.JOSE{}.Verify(token, typ, only(key))
		switch {
		case token == good && err != nil:
			t.Fatalf("the good token is refused: %v", err)
		case token != good && err == nil:
			t.Fatalf("accepted %q: %s", token, verified.Payload)
		case err != nil && !errors.Is(err, crypt.ErrTokenRefused):
			t.Fatalf("error %v does not wrap ErrTokenRefused", err)
		}
	})
}

// FuzzMutate alters one place of a good token, deeper than blind fuzzing gets.
func FuzzMutate(f *testing.F) {
	key := newKey(f, "k1", "ES256")
	good := sign(f, key, `{"sub":"usr_1"}`)
	for at := range len(good) {
		f.Add(uint16(at), byte('A'), false)
		f.Add(uint16(at), byte('='), true)
	}
	f.Fuzz(func(t *testing.T, at uint16, letter byte, insert bool) {
		place := int(at) % len(good)
		rest := good[place+1:]
		if insert {
			rest = good[place:]
		}
		token := good[:place] + string([]byte{letter}) + rest
		if _, err := (jose.JOSE{}).Verify(token, typ, only(key)); err == nil && token != good {
			t.Fatalf("accepted %q", token)
		}
	})
}
