package machines_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// keysOf returns the algorithms of the keys in a state by their kids, without those of license
// files.
func keysOf(by *harness.Actor, state string) P {
	found := P{}
	for _, key := range by.Do("JWT_KEY.LIST", nil).OK().List("items") {
		kid, _ := key["kid"].(string)
		if key["state"] == state && key["algorithm"] != "EdDSA" {
			found[kid] = key["algorithm"]
		}
	}
	return found
}

// algorithms counts keys by their algorithm.
func algorithms(keys P) map[any]int {
	count := map[any]int{}
	for _, algorithm := range keys {
		count[algorithm]++
	}
	return count
}

// signature returns the algorithm and the kid of a token that the published keys verify.
func signature(t *testing.T, h *harness.Service, token string) (algorithm, kid any) {
	t.Helper()
	published := httptest.NewServer(h.Handler)
	defer published.Close()
	ctx := oidc.ClientContext(context.Background(), http.DefaultClient)
	if _, err := oidc.NewRemoteKeySet(ctx, published.URL+"/.well-known/jwks.json").VerifySignature(ctx, token); err != nil {
		t.Errorf("the token %v: %v", claimsOf(t, token)["alg"], err)
	}
	all := claimsOf(t, token)
	return all["alg"], all["kid"]
}

// signing fails the test unless an access token and an ID token of an app are signed by keys of
// these algorithms, which are the active ones.
func (m oauthMachine) signing(t *testing.T, what string, at *harness.Service, by, root *harness.Actor, access, id string) {
	t.Helper()
	tokens := m.redeem(at, codeOf(t, by, P{"client_id": m.slug})).OK()
	active := keysOf(root, "active")
	for name, want := range map[string]string{"access_token": access, "id_token": id} {
		if algorithm, kid := signature(t, at, tokens.String(name)); algorithm != want || active[kid.(string)] != want {
			t.Errorf("%s: the %s is signed by %v, want %s: %v are active", what, name, algorithm, want, active)
		}
	}
}

// One key of each algorithm in use is active: that of access tokens, and that of ID tokens of the
// apps that chose another; a rotation, by hand or by the clock, replaces both, on every replica.
func TestAKeyForEachAlgorithm(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root := here.Superadmin()
		usual := wiki(root)
		if got := algorithms(keysOf(root, "active")); len(got) != 1 || got["ES256"] != 1 {
			t.Errorf("at first %v are active", got)
		}
		old := oauthRegister(root, "old", P{"type": "web", "redirect_urls": []string{callback}, "id_token_signed_response_alg": "RS256"})
		if got := algorithms(keysOf(root, "active")); got["RS256"] != 1 || got["ES256"] != 1 {
			t.Errorf("once an app has RS256, %v are active", got)
		}
		usual.signing(t, "the usual app", there, root, root, "ES256", "ES256")
		old.signing(t, "the old app", there, root, root, "ES256", "RS256")

		before := keysOf(root, "active")
		rotated := root.Do("JWT_KEY.ROTATE", P{"algorithm": "RS256", "overlap_hours": 1}).OK()
		list := root.Do("JWT_KEY.LIST", nil).OK()
		if before[rotated.String("previous_kid")] != "ES256" || list.String("algorithm") != "RS256" {
			t.Errorf("rotated from %v by %v to %s", before, rotated.Data, list.String("algorithm"))
		}
		if got := keysOf(root, "overlapping"); len(got) != 2 || got[rotated.String("previous_kid")] != "ES256" {
			t.Errorf("%v overlap, want %v", got, before)
		}
		usual.signing(t, "the usual app after a rotation", there, root, root, "RS256", "ES256")
		old.signing(t, "the old app after a rotation", there, root, root, "RS256", "RS256")
		if got := keysOf(root, "next"); len(got) != 1 {
			t.Errorf("%v wait", got)
		}

		leaked := ""
		for kid, algorithm := range keysOf(root, "active") {
			if algorithm == "ES256" {
				leaked = kid
			}
		}
		if revoked := root.Do("JWT_KEY.REVOKE", P{"kid": leaked}).OK(); keysOf(root, "active")[revoked.String("new_kid")] != "ES256" {
			t.Errorf("the key of ID tokens gave way to %v", revoked.Data)
		}
		usual.signing(t, "the usual app after a revocation", there, root, root, "RS256", "ES256")

		root.Do("JWT_KEY.ROTATE", P{"algorithm": "ES256", "overlap_hours": 1}).OK()
		usual.signing(t, "the usual app, rotated back", there, root, root, "ES256", "ES256")
		old.signing(t, "the old app, rotated back", there, root, root, "ES256", "RS256")
		root.Do("APP.UPDATE", P{"app_id": old.id, "id_token_signed_response_alg": "ES256"}).OK()
		old.signing(t, "the old app, changed", there, root, root, "ES256", "ES256")
		root.Do("JWT_KEY.ROTATE", P{"overlap_hours": 0}).OK()
		root = here.Superadmin()
		if got := algorithms(keysOf(root, "active")); len(got) != 1 || got["ES256"] != 1 {
			t.Errorf("once no app has RS256, %v are active after a rotation", got)
		}
	})
}

// An app says what its ID tokens are signed by, and no other algorithm than those there are.
func TestAlgorithmOfAnApp(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	app := wiki(ada)
	shown := func() string {
		return ada.Do("APP.GET", P{"app_id": app.id}).OK().String("app.id_token_signed_response_alg")
	}
	if got := shown(); got != "ES256" {
		t.Errorf("at first %s", got)
	}
	ada.Do("APP.UPDATE", P{"app_id": app.id, "id_token_signed_response_alg": "RS256"}).OK()
	if got := shown(); got != "RS256" {
		t.Errorf("after a change %s", got)
	}
	for _, algorithm := range []string{"HS256", "none", "EdDSA", "", "PS256"} {
		ada.Do("APP.UPDATE", P{"app_id": app.id, "id_token_signed_response_alg": algorithm}).Fails(fault.Validation)
	}
}

// Replicas that sign the first ID tokens of an algorithm at once make one key.
func TestReplicasMakeOneKeyOfAnAlgorithm(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root := here.Superadmin()
		app := oauthRegister(root, "old", P{"type": "web", "redirect_urls": []string{callback}, "id_token_signed_response_alg": "RS256"})
		root.Do("APP.UPDATE", P{"app_id": app.id, "id_token_signed_response_alg": "ES256"}).OK()
		root.Do("JWT_KEY.ROTATE", P{"overlap_hours": 0}).OK() // nobody needs RS256 any more
		root = here.Superadmin()
		at, tokens := []*harness.Service{here, there, here, there}, make([]*harness.Reply, 4)
		codes := make([]string, len(at))
		for i := range at {
			codes[i] = codeOf(t, root, P{"client_id": app.slug})
		}
		if _, err := here.Store.Database().Write.ExecContext(t.Context(), `UPDATE apps SET rules = '{"id_token_signed_response_alg":"RS256"}' WHERE slug = 'old'`); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i, one := range at {
			all.Go(func() { tokens[i] = app.redeem(one, codes[i]) })
		}
		all.Wait()
		for i, one := range tokens {
			if algorithm, _ := signature(t, at[1-i%2], one.OK().String("id_token")); algorithm != "RS256" {
				t.Errorf("an ID token is signed by %v", algorithm)
			}
		}
		if got := algorithms(keysOf(root, "active")); got["RS256"] != 1 || got["ES256"] != 1 {
			t.Errorf("%v are active", got)
		}
	})
}
