package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A client of FAPI 2.0 may use its refresh token again on every replica and at any time, and so
// may send it once more whose answer was lost (FAPI 2.0 Security Profile section 5.3.2.1); it is
// of no use without the client's key.
func TestRefreshTokensOfFAPIStay(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		wiki, holder := wiki(ada), here.Holder()
		kept := wiki.redeem(here, codeOf(t, ada, nil)).OK().String("refresh_token")
		ada.Do("APP.SET_JWKS", P{"app_id": wiki.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "profile": "fapi2"}).OK()
		for turn, h := range []*harness.Service{here, there, here} {
			claims := assertion(h, wiki.slug)
			claims["jti"] = string(rune('a' + turn))
			params := P{
				"grant_type": "refresh_token", "refresh_token": kept, "client_id": wiki.slug,
				"client_assertion_type": assertionType, "client_assertion": holder.Sign(P{"alg": "ES256"}, claims),
			}
			reply := direct(t, h, "OAUTH.TOKEN", params, holder.Proof("POST", endpoint, ""), "")
			if got := decoded(t, reply); got["refresh_token"] != kept || got["token_type"] != "DPoP" {
				t.Fatalf("turn %d: %v, %v", turn, got, reply.Failure)
			}
			here.Clock.Advance(time.Minute) // longer than an answer may be lost
		}
		wiki.refresh(there, kept).Fails(fault.Auth)
	})
}
