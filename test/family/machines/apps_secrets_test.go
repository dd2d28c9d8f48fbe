package machines_test

import (
	"strings"
	"testing"
	"time"

	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/harness"
)

// good reports whether a secret is good for the app now, as M2M.TOKEN would see it.
func good(t *testing.T, h *harness.Service, org, slug, secret string) bool {
	t.Helper()
	found, err := machinesstore.AppDirectory(h.Store).Find(t.Context(), workspace.ID(org), machines.AppKey{Slug: slug})
	if err != nil {
		t.Fatal(err)
	}
	_, ok := found.Verify(secret, h.Clock.Now())
	return ok
}

func TestRotateKeyAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, old := appRegister(alice, "billing", nil)
	rotated := alice.Do("APP.ROTATE_KEY", P{"app_id": id}).OK()
	fresh := rotated.String("api_key")
	if !keytext.Valid(keytext.AppSecret, fresh) || fresh == old || rotated.Data["overlap_until"] != nil {
		t.Errorf("rotated: overlap_until %v", rotated.Data["overlap_until"])
	}
	if good(t, h, alice.OrgID, "billing", old) || !good(t, h, alice.OrgID, "billing", fresh) {
		t.Error("the old secret is good still, or the new one is not")
	}
	hints := alice.Do("APP.GET", P{"app_id": id}).List("secrets")
	if len(hints) != 1 || hints[0]["prefix"] != fresh[:12] {
		t.Errorf("hints %v", hints)
	}
	id2, _ := hints[0]["secret_id"].(string)
	wantEvent(t, h, app.KindKeyRotated, alice.OrgID, id, id2)
	if data := string(only(t, h, app.KindKeyRotated).Data); strings.Contains(data, "overlap_until") || strings.Contains(data, fresh[:12]) {
		t.Errorf("the event is %s", data)
	}
}

func TestRotateKeyWithAnOverlap(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, old := appRegister(alice, "billing", nil)
	rotated := alice.Do("APP.ROTATE_KEY", P{"app_id": id, "overlap_hours": 2}).OK()
	until := h.Clock.Now().Add(2 * time.Hour).Format(time.RFC3339Nano)
	if rotated.String("overlap_until") != until {
		t.Errorf("overlap_until = %s, want %s", rotated.String("overlap_until"), until)
	}
	hints := alice.Do("APP.GET", P{"app_id": id}).List("secrets")
	if len(hints) != 2 || hints[0]["expires_at"] != nil || hints[1]["expires_at"] != until {
		t.Errorf("hints %v, want the newest first", hints)
	}
	h.Clock.Advance(2*time.Hour - time.Second)
	if !good(t, h, alice.OrgID, "billing", old) {
		t.Error("the old secret ended within the overlap")
	}
	h.Clock.Advance(time.Second)
	if good(t, h, alice.OrgID, "billing", old) || !good(t, h, alice.OrgID, "billing", rotated.String("api_key")) {
		t.Error("after the overlap the old secret is good still, or the new one is not")
	}
	if left := h.Login("alice@example.com", harness.Password).Do("APP.GET", P{"app_id": id}).List("secrets"); len(left) != 1 {
		t.Errorf("hints %v, want the new one", left)
	}
}

func TestRotateKeyRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for _, kind := range []string{"spa", "native"} {
		public, _ := appRegister(alice, "public-"+kind, P{"type": kind})
		alice.Do("APP.ROTATE_KEY", P{"app_id": public}).Fails(fault.Validation).Field("/app_id")
	}
}

func TestParallelRotationsLeaveOneSecret(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		id, old := appRegister(alice, "billing", nil)
		rotate := func() *harness.Reply { return alice.Do("APP.ROTATE_KEY", P{"app_id": id}) }
		alive := 0
		for _, answer := range atOnce(rotate, rotate, rotate, rotate) {
			if good(t, h, alice.OrgID, "billing", answer.OK().String("api_key")) {
				alive++
			}
		}
		if alive != 1 || good(t, h, alice.OrgID, "billing", old) {
			t.Errorf("%d of the new secrets are good, want the last one alone", alive)
		}
	})
}

// Who makes a credential of an app can act as the app.
func TestACredentialNeedsWhatTheAppHolds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner, root := h.SignUp("owner@example.com"), h.Superadmin()
	admin := member(h, root, owner.OrgID, "admin@example.com", "admin")
	id, secret := appRegister(owner, "mighty", P{"scopes": []string{"billing:write", "invoices:read"}})
	jwks := P{"keys": []P{publicKey(t, "one")}}
	for command, more := range map[string]P{
		"APP.ROTATE_KEY": {}, "APP.SET_JWKS": {"jwks": jwks},
	} {
		more["app_id"] = id
		refused := admin.Do(command, more).Fails(fault.Denied)
		if !strings.Contains(refused.Failure.Message, "billing:write") {
			t.Errorf("%s is refused with %q", command, refused.Failure.Message)
		}
		appKey(h, owner, "apps:write").Do(command, more).Fails(fault.Denied)
	}
	admin.Do("APP.SET_JWKS", P{"app_id": id, "jwks_uri": "https://a.example/jwks"}).Fails(fault.Denied)
	if !good(t, h, owner.OrgID, "mighty", secret) {
		t.Error("a refused rotation ended the secret")
	}
	// Taking credentials away gives nobody anything.
	admin.Do("APP.SET_JWKS", P{"app_id": id}).OK()
	appKey(h, owner, "apps:write", "billing:write").Do("APP.ROTATE_KEY", P{"app_id": id}).OK()
	owner.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"billing:write"}}).OK()
	admin.Do("APP.ROTATE_KEY", P{"app_id": id}).OK()
}

func TestSecretRevoke(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, old := appRegister(alice, "billing", nil)
	fresh := alice.Do("APP.ROTATE_KEY", P{"app_id": id, "overlap_hours": 24}).String("api_key")
	hints := alice.Do("APP.GET", P{"app_id": id}).List("secrets")
	if !alice.Do("APP.SECRET_REVOKE", P{"app_id": id, "secret_id": hints[1]["secret_id"]}).Bool("revoked") {
		t.Error("revoked = false")
	}
	ended, _ := hints[1]["secret_id"].(string)
	wantEvent(t, h, app.KindSecretRevoked, alice.OrgID, id, ended)
	if good(t, h, alice.OrgID, "billing", old) || !good(t, h, alice.OrgID, "billing", fresh) {
		t.Error("the old secret is good still, or the new one is not")
	}
	alice.Do("APP.SECRET_REVOKE", P{"app_id": id, "secret_id": hints[1]["secret_id"]}).Fails(fault.NotFound)
	other, _ := appRegister(alice, "other", nil)
	alice.Do("APP.SECRET_REVOKE", P{"app_id": other, "secret_id": hints[0]["secret_id"]}).Fails(fault.NotFound)
	alice.Do("APP.SECRET_REVOKE", P{"app_id": id, "secret_id": hints[0]["secret_id"]}).OK()
	if good(t, h, alice.OrgID, "billing", fresh) || len(alice.Do("APP.GET", P{"app_id": id}).List("secrets")) != 0 {
		t.Error("the last secret is good still")
	}
	if again := alice.Do("APP.ROTATE_KEY", P{"app_id": id}).String("api_key"); !good(t, h, alice.OrgID, "billing", again) {
		t.Error("a new secret after the last one is not good")
	}
}

// What is known of the use of a secret goes with it, however it ends.
func TestTheUseOfASecretIsForgottenWithIt(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		made := alice.Do("APP.REGISTER", P{"name": "App", "slug": "forgetful"}).OK()
		id, text := made.String("app.id"), made.String("api_key")
		known := func() int64 {
			h.Anonymous().Do("M2M.TOKEN", P{"client_id": "forgetful", "client_secret": text}).OK()
			rows, err := ops.Upkeep(h.Store).Rows(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return rows["last_uses"]
		}
		if got := known(); got != 1 {
			t.Fatalf("%d uses are known, want 1", got)
		}
		text = alice.Do("APP.ROTATE_KEY", P{"app_id": id}).String("api_key")
		if got := known(); got != 1 {
			t.Errorf("%d uses are known after a rotation, want that of the new secret", got)
		}
		text = alice.Do("APP.ROTATE_KEY", P{"app_id": id, "overlap_hours": 1}).String("api_key")
		old := alice.Do("APP.GET", P{"app_id": id}).List("secrets")[1]["secret_id"]
		if alice.Do("APP.SECRET_REVOKE", P{"app_id": id, "secret_id": old}).OK(); known() != 1 {
			t.Error("the use of a revoked secret is still known")
		}
	})
}
