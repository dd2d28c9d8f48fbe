package oauth_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestLibrariesOfOthers runs the clients of test/e2e/interop, which are libraries from
// npm, against the service.
func TestLibrariesOfOthers(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on).First()
		admin := here.Admin()
		app := here.Register(admin, "interop", "apps:read", "tokens:introspect")
		product := here.As(admin, "PRODUCT.CREATE", P{"name": "Table", "slug": "table"}).Text("product.id")
		license := here.As(admin, "LICENSE.ISSUE", P{"product_id": product, "offline_days": 7})
		script := exec.CommandContext(t.Context(), "node", "verify.mjs", string(instance.JSONOf(t, P{
			"issuer": here.URL, "client_id": app.Slug, "client_secret": app.Secret, "app_id": app.ID, "operator": admin.Access,
			"product_id": product, "license_key": license.Text("key"),
		})))
		script.Dir = directory
		if output, err := script.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("all of it holds")) {
			t.Fatalf("node verify.mjs: %v\n%s", err, output)
		}
	})
}

// TestOpenFeature runs the SDKs of OpenFeature for JavaScript and Go with their stock
// providers against features that a license, a rule and a default decide.
func TestOpenFeature(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on).First()
		vendor, buyer := here.SignUp(), here.SignUp()
		for key, p := range map[string]P{
			"seats.max":  {"type": "int", "default": 1},
			"export.pdf": {"type": "bool", "default": false, "rules": []P{{"when": "attributes.plan == 'pro'", "value": true}}},
			"theme":      {"type": "string", "default": "light"},
		} {
			p["key"] = key
			here.As(vendor, "FEATURE.CREATE", p)
		}
		here.As(vendor, "PRODUCT.CREATE", P{"name": "Table", "slug": "table", "features": P{"seats.max": 5}})
		here.As(vendor, "LICENSE.ISSUE", P{"product_id": "table", "user_id": buyer.ID})
		key := here.As(vendor, "API_KEY.CREATE", P{"name": "flags", "scopes": []string{"features:read"}}).Text("key")
		app := here.Register(vendor, "flags", "features:read")
		token := here.Do(instance.Call{Command: "M2M.TOKEN", Params: P{"client_id": app.Slug, "client_secret": app.Secret}}).OK().Text("access_token")
		script := exec.CommandContext(t.Context(), "node", "flags.mjs", string(instance.JSONOf(t, P{
			"issuer": here.URL, "key": key, "token": token, "user": buyer.ID, "operator": vendor.Access,
		})))
		script.Dir = directory
		if output, err := script.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("all of it holds")) {
			t.Fatalf("node flags.mjs: %v\n%s", err, output)
		}
		goFlags(t, ofrep.NewProvider(here.URL, ofrep.WithApiKeyAuth(key)), buyer.ID)
		goFlags(t, ofrep.NewProvider(here.URL, ofrep.WithBearerToken(token)), buyer.ID)
	})
}

// goFlags asks as flags.mjs does, by the SDK of OpenFeature for Go with its stock provider.
func goFlags(t *testing.T, provider openfeature.FeatureProvider, buyer string) {
	t.Helper()
	if err := openfeature.SetNamedProviderAndWait(t.Name(), provider); err != nil {
		t.Fatal(err)
	}
	flags, ctx := openfeature.NewClient(t.Name()), t.Context()
	owner := openfeature.NewEvaluationContext(buyer, nil)
	pro := openfeature.NewEvaluationContext("visitor-1", map[string]any{"plan": "pro"})
	if seats, err := flags.IntValueDetails(ctx, "seats.max", 0, owner); err != nil || seats.Value != 5 || seats.Reason != openfeature.TargetingMatchReason {
		t.Errorf("by a license: %+v (%v)", seats, err)
	}
	if pdf, err := flags.BooleanValueDetails(ctx, "export.pdf", false, pro); err != nil || !pdf.Value || pdf.Reason != openfeature.TargetingMatchReason {
		t.Errorf("by a rule: %+v (%v)", pdf, err)
	}
	if pdf, err := flags.BooleanValueDetails(ctx, "export.pdf", true, owner); err != nil || pdf.Value || pdf.Reason != openfeature.DefaultReason {
		t.Errorf("by the default: %+v (%v)", pdf, err)
	}
	// flags.mjs changed the default.
	if theme, err := flags.StringValueDetails(ctx, "theme", "none", openfeature.EvaluationContext{}); err != nil || theme.Value != "dark" {
		t.Errorf("a text, for nobody: %+v (%v)", theme, err)
	}
	if none, err := flags.BooleanValueDetails(ctx, "no.such", true, owner); err == nil || !none.Value || none.ErrorCode != openfeature.FlagNotFoundCode {
		t.Errorf("no flag: %+v (%v)", none, err)
	}
	if other, err := flags.BooleanValueDetails(ctx, "theme", true, owner); err == nil || !other.Value || other.ErrorCode != openfeature.TypeMismatchCode {
		t.Errorf("another type: %+v (%v)", other, err)
	}
}

// TestStandardWebhooks runs the library of Standard Webhooks against messages, also while
// their secret rotates.
func TestStandardWebhooks(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on, "WEBHOOK_ALLOW_HTTP=true", "WEBHOOK_ALLOW_PRIVATE=true").First()
		script := exec.CommandContext(t.Context(), "node", "webhooks.mjs", string(instance.JSONOf(t, P{"issuer": here.URL, "operator": here.Admin().Access})))
		script.Dir = directory
		if output, err := script.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("all of it holds")) {
			t.Fatalf("node webhooks.mjs: %v\n%s", err, output)
		}
	})
}

// TestStandardWebhooksOfPython has the library for Python verify messages, of which the second
// is signed by two secrets.
func TestStandardWebhooksOfPython(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on, "WEBHOOK_ALLOW_HTTP=true", "WEBHOOK_ALLOW_PRIVATE=true").First()
		admin, came := here.Admin(), make(chan P, 1)
		to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			headers := P{}
			for name := range r.Header {
				headers[name] = r.Header.Get(name)
			}
			came <- P{"headers": headers, "body": string(body)}
		}))
		t.Cleanup(to.Close)
		made := here.As(admin, "WEBHOOK.CREATE", P{"url": to.URL, "events": []string{"role.created"}}).OK()
		deliver := func(name string, by, others []string) P {
			here.As(admin, "ROLE.CREATE", P{"name": name, "permissions": []string{"apps:read"}}).OK()
			select {
			case message := <-came:
				message["by"], message["others"] = by, others
				return message
			case <-time.After(instance.StartWithin):
				t.Fatalf("nothing tells of %s", name)
				return nil
			}
		}
		first := made.Text("signing_secret")
		messages := []P{deliver("First", []string{first}, nil)}
		second := here.As(admin, "WEBHOOK.ROTATE_SECRET", P{"webhook_id": made.Text("webhook.id"), "overlap_hours": 1}).OK().Text("signing_secret")
		messages[0]["others"] = []string{second}
		messages = append(messages, deliver("Second", []string{first, second}, nil))
		script := exec.CommandContext(t.Context(), "python3", "webhooks.py", string(instance.JSONOf(t, messages)))
		script.Dir, script.Env = directory, append(os.Environ(), "PYTHONPATH=../../../bin/python")
		if output, err := script.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("all of it holds")) {
			t.Fatalf("python3 webhooks.py: %v\n%s", err, output)
		}
	})
}

// TestClientsOfOthers logs somebody in by openid-client, oauth4webapi, Auth.js and the MCP SDK;
// the second and the last register themselves.
func TestClientsOfOthers(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on).First()
		admin, ada := here.Admin(), here.SignUp()
		here.As(admin, "SETTINGS.SET", P{"values": P{"client_registration": "open"}})
		app := here.As(admin, "APP.REGISTER", P{
			"name": "Wiki", "slug": "wiki", "type": "web", "scopes": []string{"tokens:introspect"},
			"redirect_urls": []string{"http://127.0.0.1:3000/callback", "http://127.0.0.1:3000/auth/callback/gatehouse"},
		})
		service := here.As(admin, "APP.REGISTER", P{"name": "Search", "slug": "search", "scopes": []string{"tokens:introspect"}})
		here.As(admin, "APP.UPDATE", P{"app_id": service.Text("app.id"), "token_exchange": true, "token_exchange_clients": []string{"wiki"}}).OK()
		here.As(admin, "APP.REGISTER", P{"name": "Television", "slug": "tv", "type": "native", "grant_types": []string{"device_code"}})
		old := here.As(admin, "APP.REGISTER", P{
			"name": "Old", "slug": "old", "type": "web", "redirect_urls": []string{"http://127.0.0.1:3000/callback"}, "id_token_signed_response_alg": "RS256",
		})
		script := exec.CommandContext(t.Context(), "node", "clients.mjs", string(instance.JSONOf(t, P{
			"issuer": here.URL, "person": ada.Access, "email": ada.Email, "client_id": "wiki", "client_secret": app.Text("api_key"), "device_id": "tv",
			"old_secret": old.Text("api_key"), "owner": admin.Access, "app_id": app.Text("app.id"),
			"service_id": "search", "service_secret": service.Text("api_key"),
		})))
		script.Dir = directory
		if output, err := script.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("all of it holds")) {
			t.Fatalf("node clients.mjs: %v\n%s", err, output)
		}
	})
}
