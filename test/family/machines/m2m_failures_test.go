package machines_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Who does not know a client's secret keeps nobody but their own wrong calls out,
// whichever way the client authenticates.
func TestWrongSecretsKeepNoClientOut(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		const most = 6
		h.Superadmin().Do("RATE_LIMIT.SET", P{"command": "M2M.TOKEN", "key": "token", "limit": most, "window_seconds": 60}).OK()
		owner := h.SignUp("ada@example.com")
		m, other := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil)
		bySecret := func(secret string) func(from int) *harness.Reply {
			return func(from int) *harness.Reply {
				return h.Anonymous().From(from).Do("M2M.TOKEN", P{"client_id": m.slug, "client_secret": secret})
			}
		}
		guesses(t, most, bySecret(m.secret), bySecret(other.secret))

		m = m2mRegister(h, owner, "signing", nil)
		s, stranger := &signer{Holder: h.Holder(), h: h}, &signer{Holder: h.Holder(), h: h}
		m.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
		byKey := func(by *signer) func(from int) *harness.Reply {
			return func(from int) *harness.Reply {
				return h.Anonymous().From(from).Do("M2M.TOKEN", P{
					"client_id": m.slug, "client_assertion_type": assertionType,
					"client_assertion": by.assertion(P{"iss": m.slug, "sub": m.slug}),
				})
			}
		}
		guesses(t, most, byKey(s), byKey(stranger))
	})
}

// guesses calls wrongly and rightly from several addresses, with so many calls a minute
// for the client, and for those that fail at one address.
func guesses(t *testing.T, most int, right, wrong func(from int) *harness.Reply) {
	t.Helper()
	for range most {
		wrong(1).Fails(fault.Auth)
	}
	wrong(1).Fails(fault.RateLimited)
	wrong(2).Fails(fault.Auth)
	for i := range most {
		right(1 + i%3).OK() // at the guesser's address, too
	}
	right(3).Fails(fault.RateLimited)
	wrong(1).Fails(fault.RateLimited)
	wrong(2).Fails(fault.Auth)
}
