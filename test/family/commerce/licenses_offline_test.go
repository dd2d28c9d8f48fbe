package commerce_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// jwks is the JWK Set that the service publishes.
func jwks(t *testing.T, h *harness.Service) []byte {
	t.Helper()
	answer := httptest.NewRecorder()
	h.Handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, harness.Issuer+"/.well-known/jwks.json", http.NoBody))
	if answer.Code != http.StatusOK {
		t.Fatalf("the JWKS is answered by %d", answer.Code)
	}
	return answer.Body.Bytes()
}

// claims checks a file by crypto/ed25519 and by a JOSE library that both know nothing of
// the service, and returns what it says.
func claims(t *testing.T, h *harness.Service, file string) map[string]any {
	t.Helper()
	set, err := jwk.Parse(jwks(t, h))
	if err != nil {
		t.Fatal(err)
	}
	message, err := jws.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	head := message.Signatures()[0].ProtectedHeaders()
	if head.Type() != "license+jwt" || head.Algorithm() != jwa.EdDSA {
		t.Errorf("the header is %v", head)
	}
	known, there := set.LookupKeyID(head.KeyID())
	if !there {
		t.Fatalf("the JWKS has no key %s", head.KeyID())
	}
	var public ed25519.PublicKey
	if err := known.Raw(&public); err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexByte(file, '.')
	signature, err := base64.RawURLEncoding.DecodeString(file[at+1:])
	if err != nil || !ed25519.Verify(public, []byte(file[:at]), signature) {
		t.Errorf("crypto/ed25519 refuses the signature (%v)", err)
	}
	payload, err := jws.Verify([]byte(file), jws.WithKeySet(set, jws.WithRequireKid(true)))
	if err != nil {
		t.Fatalf("a JOSE library refuses the file: %v", err)
	}
	var said map[string]any
	if err := json.Unmarshal(payload, &said); err != nil {
		t.Fatal(err)
	}
	return said
}

// A file is for one machine and product, and ends with its days or the license.
func TestOfflineFiles(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada, buyer := vendor(h), h.SignUp("buyer@example.com")
		product := ada.Do("PRODUCT.GET", P{"product_id": "table"}).OK().String("product.id")
		id, key := issue(ada, P{"user_id": buyer.UserID, "policy_id": policy(ada, P{
			"offline_days": 30, "duration_days": 20, "on_expiry": "grace", "grace_days": 2, "max_machines": 1, "machine_bound": true,
			"heartbeat_minutes": 10, "features": P{"pdf": true}, "seats": 4, "meters": P{"exports": P{"limit": 3, "period": "day", "on_limit": "deny"}},
		})})
		checkout := func(params P) *harness.Reply {
			return h.Anonymous().Do("LICENSE.OFFLINE_CHECKOUT", params)
		}
		got := checkout(P{"key": key, "machine": "m", "days": 7}).OK()
		said := claims(t, h, got.String("offline_file"))
		now := h.Clock.Now()
		for name, want := range map[string]any{
			"iss": harness.Issuer, "sub": id, "aud": product, "product": "table", "machine": "m", "status": "active", "seats": 4.0,
			"iat": float64(now.Unix()), "nbf": float64(now.Unix()), "exp": float64(now.Add(7 * 24 * time.Hour).Unix()),
		} {
			if said[name] != want {
				t.Errorf("%s is %v, want %v", name, said[name], want)
			}
		}
		if said["features"].(map[string]any)["pdf"] != true || said["meters"].(map[string]any)["exports"] == nil || said["policy"] == nil {
			t.Errorf("the file says %v", said)
		}
		if small := claims(t, h, got.String("qr_file")); small["features"] != nil || small["exp"] != said["exp"] || len(got.String("qr_file")) > 900 {
			t.Errorf("the small file has %d letters and says %v", len(got.String("qr_file")), small)
		}
		if full := checkout(P{"key": key, "machine": "n"}).OK(); full.String("code") != "too_many_machines" || len(full.List("machines")) != 1 || full.Data["offline_file"] != nil {
			t.Errorf("for a machine without a place: %v", full.Data)
		}

		// The place stays taken without heartbeats, and the owner does not free it.
		h.Clock.Advance(6 * 24 * time.Hour)
		ada, buyer = h.Login("ada@example.com", harness.Password), h.Login("buyer@example.com", harness.Password)
		if got := validate(h, key, P{"machine": "m"}); got != "valid" {
			t.Errorf("without heartbeats it is %s", got)
		}
		if freed := h.Anonymous().Do("LICENSE.MACHINE_DEACTIVATE", P{"key": key, "machine": "m"}).OK(); freed.Data["deactivated"] != false {
			t.Error("the key frees the place of a machine with a file")
		}
		machine := ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id}).OK().List("items")[0]["id"]
		buyer.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": machine}).Fails(fault.Validation)

		// A file never outlives the license with its grace, and names the machine that was left.
		buyer.Do("LICENSE.TRANSFER", P{"license_id": id, "from_machine": "m", "to_machine": "n"}).OK()
		next := claims(t, h, buyer.Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": id, "machine": "n"}).OK().String("offline_file"))
		if want := float64(now.Add(22 * 24 * time.Hour).Unix()); next["exp"] != want || next["iat"].(float64) <= said["iat"].(float64) {
			t.Errorf("the next file ends at %v, want %v", next["exp"], want)
		}
		if left, _ := next["not_before"].([]any); len(left) != 1 || left[0].(map[string]any)["machine"] != "m" || left[0].(map[string]any)["exp"].(float64) < said["exp"].(float64) {
			t.Errorf("machines that were left: %v", next["not_before"])
		}
		validated := h.Anonymous().Do("LICENSE.VALIDATE", P{"key": key, "machine": "n"}).OK()
		if file := claims(t, h, validated.String("offline_file")); file["machine"] != "n" {
			t.Errorf("the file of a validation: %v", file)
		}
		ada.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id}).OK().List("items")[0]["id"]}).OK()
		ada.Do("LICENSE.REVOKE", P{"license_id": id}).OK()
		if got := checkout(P{"key": key, "machine": "n"}).OK(); got.String("code") != "revoked" || got.Data["offline_file"] != nil {
			t.Errorf("of a revoked license: %v", got.Data)
		}
		_, without := issue(ada, nil)
		checkout(P{"key": without, "machine": "m"}).Fails(fault.Validation)
		checkout(P{"license_id": id, "machine": "m"}).Fails(fault.Auth)
		h.SignUp("eve@example.com").Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": id, "machine": "m"}).Fails(fault.NotFound)
		checkout(P{"machine": "m"}).Fails(fault.Validation)
		if validated := h.Anonymous().Do("LICENSE.VALIDATE", P{"key": without}).OK(); validated.Data["offline_file"] != nil {
			t.Errorf("a license without files has one: %v", validated.Data)
		}
	})
}

// A file of a floating license takes a seat for as long as it holds.
func TestOfflineSeats(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada := vendor(h)
		id, key := issue(ada, P{"policy_id": policy(ada, P{"floating": true, "seats": 1, "offline_days": 3})})
		call := func(command, machine string) *harness.Reply {
			return h.Anonymous().Do("LICENSE."+command, P{"key": key, "machine": machine}).OK()
		}
		// A validation has no file for longer than the seat is kept, or one seat would be as many.
		lease := call("LEASE_ACQUIRE", "passing").String("lease.id")
		if got := call("VALIDATE", "passing"); got.String("code") != "valid" || got.Has("offline_file") {
			t.Errorf("a machine with a lease alone has a file: %v", got.Data)
		}
		h.Anonymous().Do("LICENSE.LEASE_RELEASE", P{"key": key, "lease_id": lease}).OK()
		until := claims(t, h, call("OFFLINE_CHECKOUT", "m").String("offline_file"))["exp"]
		h.Clock.Advance(71 * time.Hour)
		ada = h.Login("ada@example.com", harness.Password)
		byID := ada.Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": id, "machine": "n"}).OK()
		if got := call("OFFLINE_CHECKOUT", "n").String("code"); got != "no_seats" || byID.String("code") != got {
			t.Errorf("while the file holds: %s, and by its id %v", got, byID.Data)
		}
		// Nothing is kept of what was refused.
		if got := ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id}).OK().List("items"); len(got) != 1 {
			t.Errorf("after a refusal there are the machines %v", got)
		}
		if n := len(h.Events("machine.activated")); n != 1 {
			t.Errorf("%d machines were activated, by the events", n)
		}
		if got := claims(t, h, call("VALIDATE", "m").String("offline_file"))["exp"]; got != until {
			t.Errorf("the next file of the machine with the seat ends at %v, want %v", got, until)
		}
		h.Clock.Advance(2 * time.Hour)
		if got := call("LEASE_ACQUIRE", "n").String("code"); got != "valid" {
			t.Errorf("once it ended: %s", got)
		}
	})
}

// A dry run hands out no file, not to somebody who has the key alone either, and the key that it
// would have made for the first file of an instance signs none.
func TestADryRunHandsOutNoFile(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		_, key := issue(vendor(h), P{"offline_days": 3, "max_machines": 1})
		asked := P{"key": key, "machine": "m"}
		for range 2 {
			dry := h.Anonymous().DryRun().Do("LICENSE.OFFLINE_CHECKOUT", asked).OK()
			if dry.String("code") != "valid" || dry.String("offline_file") != "" || dry.String("qr_file") != "" {
				t.Errorf("a dry run of OFFLINE_CHECKOUT: %v", dry.Data)
			}
		}
		if dry := h.Anonymous().DryRun().Do("LICENSE.VALIDATE", P{"key": key}).OK(); !dry.Bool("valid") || dry.String("offline_file") != "" {
			t.Errorf("a dry run of VALIDATE: %v", dry.Data)
		}
		taken := h.Anonymous().Do("LICENSE.OFFLINE_CHECKOUT", asked).OK()
		claims(t, h, taken.String("offline_file"))
		claims(t, h, taken.String("qr_file"))
	})
}

// Keys of files rotate apart from those of tokens, and verify none; a file under the key
// before holds for its overlap. Forged files are refused.
func TestFileKeys(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, fileKeys)
}

func fileKeys(t *testing.T, h *harness.Service) {
	ada, root := vendor(h), h.Superadmin()
	_, key := issue(ada, P{"offline_days": 3})
	file := func() string { return h.Anonymous().Do("LICENSE.VALIDATE", P{"key": key}).OK().String("offline_file") }
	before, tokens := file(), root.Do("JWT_KEY.LIST", nil).OK().List("items")
	rotated := root.Do("JWT_KEY.ROTATE", P{"algorithm": "EdDSA", "overlap_hours": 17_520}).OK()
	if want := h.Clock.Now().Add(17_520 * time.Hour).Format(time.RFC3339Nano); rotated.String("overlap_until") != want || rotated.String("algorithm") != "EdDSA" {
		t.Errorf("rotated: %v", rotated.Data)
	}
	root.Do("JWT_KEY.ROTATE", P{"overlap_hours": 721}).Fails(fault.Validation).Field("/overlap_hours")
	after := file()
	for _, one := range []string{before, after} {
		claims(t, h, one)
	}
	kid := func(file string) string {
		message, _ := jws.Parse([]byte(file))
		return message.Signatures()[0].ProtectedHeaders().KeyID()
	}
	if kid(before) != rotated.String("previous_kid") || kid(after) != rotated.String("kid") {
		t.Errorf("signed by %s, then by %s: %v", kid(before), kid(after), rotated.Data)
	}
	if now := root.Do("JWT_KEY.LIST", nil).OK().List("items"); len(now) != len(tokens)+1 {
		t.Errorf("%d keys, then %d", len(tokens), len(now))
	}
	ada.Do("USER.ME", nil).OK() // her token is signed by the previous key
	h.With(after).Do("USER.ME", nil).Fails(fault.TokenInvalid)

	set := jwks(t, h)
	if _, err := jose.VerifyFile(after, "license+jwt", set); err != nil {
		t.Errorf("VerifyFile() = %v", err)
	}
	parts := strings.Split(after, ".")
	head := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for name, forged := range map[string]string{
		"no alg":          head(`{"alg":"none","kid":"`+kid(after)+`","typ":"license+jwt"}`) + "." + parts[1] + ".",
		"another kid":     head(`{"alg":"EdDSA","kid":"x","typ":"license+jwt"}`) + "." + parts[1] + "." + parts[2],
		"another typ":     head(`{"alg":"EdDSA","kid":"`+kid(after)+`","typ":"at+jwt"}`) + "." + parts[1] + "." + parts[2],
		"another key":     head(`{"alg":"EdDSA","kid":"`+kid(before)+`","typ":"license+jwt"}`) + "." + parts[1] + "." + parts[2],
		"another payload": parts[0] + "." + head(`{"exp":9999999999}`) + "." + parts[2],
		"an access token": ada.AccessToken,
		"nothing":         "",
	} {
		if _, err := jose.VerifyFile(forged, "license+jwt", set); err == nil {
			t.Errorf("%s: VerifyFile() takes it", name)
		}
	}
	root.Do("JWT_KEY.REVOKE", P{"kid": rotated.String("kid"), "reason": "leaked"}).OK()
	if _, err := jose.VerifyFile(after, "license+jwt", jwks(t, h)); err == nil {
		t.Error("a file under a key that was thrown out is taken")
	}
	claims(t, h, file())
}

// A place yields files for one machine: that of a license which is bound to machines has them
// as long as it keeps the place that it checked out, and no machine has any after it was freed.
func TestFilesOfPlaces(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, buyer := vendor(h), h.SignUp("buyer@example.com")
		terms := P{"machine_bound": true, "max_machines": 1, "offline_days": 3, "heartbeat_minutes": 10}
		id, key := issue(ada, P{"policy_id": policy(ada, terms), "user_id": buyer.UserID})
		file := func(machine string) any {
			return h.Anonymous().Do("LICENSE.VALIDATE", P{"key": key, "machine": machine}).OK().Data["offline_file"]
		}
		for _, machine := range []string{"m", "n"} { // in turn on the one place
			made := h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": machine}).OK()
			if made.String("code") != "valid" || file(machine) != nil {
				t.Errorf("%s was not checked out: %v, file %v", machine, made.Data, file(machine))
			}
			buyer.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": made.String("machine.id")}).OK()
		}
		checkedOut := buyer.Do("LICENSE.OFFLINE_CHECKOUT", P{"license_id": id, "machine": "m", "days": 1}).OK()
		until := claims(t, h, checkedOut.String("offline_file"))["exp"]
		h.Clock.Advance(time.Hour)
		if got, _ := file("m").(string); got == "" || claims(t, h, got)["exp"] != until {
			t.Errorf("the file of the machine that was checked out does not end at %v", until)
		}
		if got := file("n"); got != nil {
			t.Errorf("another machine has the file %v", got)
		}
	})
}
