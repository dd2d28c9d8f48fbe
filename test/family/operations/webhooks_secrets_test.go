package operations_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestSecretsOverlap(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	to := receive(t)
	made := register(ada, to.URL, P{"secret": "a secret of my own"})
	if made.String("secret") != "a secret of my own" || made.String("signing_secret") != "whsec_YSBzZWNyZXQgb2YgbXkgb3du" {
		t.Errorf("made %v", made.Data)
	}
	id, first := made.String("webhook.id"), made.String("signing_secret")
	second := ada.Do("WEBHOOK.ROTATE_SECRET", P{"webhook_id": id, "overlap_hours": 1}).OK().String("signing_secret")
	n := 0
	check := func(want map[string]bool) {
		t.Helper()
		n++
		webhookRole(ada, fmt.Sprint("Role ", n))
		h.SendWebhooks()
		m := to.taken()[0]
		for secret, valid := range want {
			if err := verify(t, secret, m); (err == nil) != valid {
				t.Errorf("%s verifies: %v, want %v", secret, err, valid)
			}
		}
	}
	check(map[string]bool{first: true, second: true})
	h.Clock.Advance(time.Hour)
	ada = h.Login("ada@example.com", harness.Password)
	check(map[string]bool{first: false, second: true})
	third := ada.Do("WEBHOOK.ROTATE_SECRET", P{"webhook_id": id, "overlap_hours": 0}).OK().String("signing_secret")
	check(map[string]bool{second: false, third: true})
	for range 4 {
		ada.Do("WEBHOOK.ROTATE_SECRET", P{"webhook_id": id}).OK()
	}
	ada.Do("WEBHOOK.ROTATE_SECRET", P{"webhook_id": id}).Fails(fault.Validation)
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	for path, params := range map[string]P{
		"/url":                       {"url": "ftp://example.com"},
		"/events/0":                  {"events": []string{"role.create"}},
		"/events/1":                  {"events": []string{"role.*", "rolle.*"}},
		"/secret":                    {"secret": "whsec_not base64 at all"},
		"/headers/Host":              {"headers": P{"Host": "example.com"}},
		"/headers/content-type":      {"headers": P{"content-type": "text/plain"}},
		"/headers/webhook-signature": {"headers": P{"webhook-signature": "v1,x"}},
		"/headers/Webhook_Id":        {"headers": P{"Webhook_Id": "dlv_x"}},
		"/headers/connection":        {"headers": P{"connection": "close"}},
		"/headers/X":                 {"headers": P{"X": "a\r\nHost: b"}},
		"/headers/a b":               {"headers": P{"a b": "c"}},
		"/headers/x-team":            {"headers": P{"X-Team": "a", "x-team": "b"}},
	} {
		all := P{"url": "https://example.com/hooks"}
		for name, value := range params {
			all[name] = value
		}
		ada.Do("WEBHOOK.CREATE", all).Fails(fault.Validation).Field(path)
	}
	refused := ada.Do("WEBHOOK.CREATE", P{"url": "https://example.com", "events": []string{"role.create"}})
	if message := fmt.Sprint(refused); !strings.Contains(message, "role.created") {
		t.Errorf("nothing near is suggested: %s", message)
	}
}

// What nobody is shown, headers and the token of Splunk, goes to no host that it was not given for:
// else who may change an address could have it sent to them.
func TestKeptSecretsStayWithTheirReceiver(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		id := register(ada, "https://example.com/hooks", P{"headers": P{"Authorization": "Bearer zq5"}}).String("webhook.id")
		for _, other := range []string{"https://elsewhere.example.com/hooks", "https://example.com:8443/hooks", "http://example.com/hooks"} {
			ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "url": other}).Fails(fault.Validation).Field("/headers")
		}
		if url := ada.Do("WEBHOOK.GET", P{"webhook_id": id}).OK().String("webhook.url"); url != "https://example.com/hooks" {
			t.Errorf("messages go to %s", url)
		}
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "url": "https://Example.com/other"}).OK()
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "url": "https://elsewhere.example.com/", "headers": P{}}).OK()

		made := P{"name": "siem", "kind": "splunk_hec", "url": "https://splunk.example.com/services/collector/event", "secret": "b0221cd8-c4b4-465a-9a3c"}
		id = ada.Do("AUDIT.STREAM_CREATE", made).OK().String("stream.id")
		ada.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "url": "https://elsewhere.example.com/"}).Fails(fault.Validation).Field("/secret")
		ada.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "url": "https://splunk.example.com/other"}).OK()
		ada.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "url": "https://elsewhere.example.com/", "secret": "b0221cd8-c4b4-465a-9a3d"}).OK()
		for kind, secret := range map[string]string{"splunk_hec": "b0221cd8-c4b4\r\nHost: a", "http": "whsec_not base64 at all"} {
			made["kind"], made["secret"] = kind, secret
			ada.Do("AUDIT.STREAM_CREATE", made).Fails(fault.Validation).Field("/secret")
		}
		ada.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "secret": "b0221cd8-c4b4\r\nHost: a"}).Fails(fault.Validation).Field("/secret")
	})
}

// Outside development an address that leads inward is refused where it is saved, in whatever
// form, of webhooks as of streams of the log.
func TestInwardAddressesAreNotSaved(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.InProduction(t, database)
		ada := h.SignUp("ada@example.com")
		id := register(ada, "https://example.com/hooks").String("webhook.id")
		for _, address := range []string{
			"http://example.com/", "https://localhost/", "https://127.0.0.1/", "https://2130706433/", "https://0177.0.0.1/", "https://0x7f.1/", "https://127.1/",
			"https://0x7f000001/", "https://017700000001/", "https://0251.0376.0251.0376/", "https://0xa9fea9fe/", "https://localhost./", "https://a.localhost/",
			"https://10.0.0.1./", "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://[::ffff:a9fe:a9fe]/", "https://[64:ff9b::a9fe:a9fe]/",
			"https://[2002:a9fe:a9fe::]/", "https://[2001:0:7f00:1::]/", "https://[::ffff:0:127.0.0.1]/", "https://[::127.0.0.1]/", "https://[fe80::1%25eth0]/",
			"https://metadata.google.internal/", "https://example.com@127.0.0.1/", "https://u:p@example.com/", "https://example.com:22/", "https://%31%32%37.0.0.1/",
			"https://127.0.0.\u2460/", "https://169.254.169\u3002254/",
		} {
			ada.Do("WEBHOOK.CREATE", P{"url": address}).Fails(fault.Validation).Field("/url")
			ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "url": address}).Fails(fault.Validation).Field("/url")
			ada.Do("AUDIT.STREAM_CREATE", P{"name": "siem", "kind": "http", "url": address, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}).Fails(fault.Validation).Field("/url")
		}
	})
}

func TestDeletedWebhook(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		to := receive(t)
		to.answers(status(500))
		id := register(ada, to.URL).String("webhook.id")
		webhookRole(ada, "Reader")
		h.SendWebhooks()
		to.taken()
		ada.Do("WEBHOOK.DELETE", P{"webhook_id": id}).OK()
		if h.SendWebhooks(); len(to.taken()) != 0 {
			t.Error("a webhook that was deleted is told")
		}
		dead := ada.Do("WEBHOOK.DEAD_LETTER_LIST", nil).OK().List("items")
		if len(dead) != 1 || dead[0]["error"] != "the webhook endpoint was deleted" {
			t.Fatalf("dead letters %v", dead)
		}
		ada.Do("WEBHOOK.REPLAY", P{"delivery_id": dead[0]["id"]}).Fails(fault.Validation)
	})
}

func TestTest(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	to := receive(t)
	made := register(ada, to.URL)
	got := ada.Do("WEBHOOK.TEST", P{"webhook_id": made.String("webhook.id"), "type": "user.created"}).OK()
	sent := to.taken()
	if !got.Bool("delivered") || got.Int("status_code") != 200 || len(sent) != 1 || !strings.Contains(string(sent[0].body), `"type":"user.created"`) {
		t.Errorf("%v, sent %s", got.Data, sent)
	}
	if err := verify(t, made.String("signing_secret"), sent[0]); err != nil {
		t.Error(err)
	}
	to.Close()
	if got := ada.Do("WEBHOOK.TEST", P{"webhook_id": made.String("webhook.id")}).OK(); got.Bool("delivered") || got.String("response_excerpt") == "" {
		t.Errorf("of a receiver that is gone: %v", got.Data)
	}
	ada.Do("WEBHOOK.TEST", P{"webhook_id": made.String("webhook.id"), "type": "user.vanished"}).Fails(fault.Validation).Field("/type")
}
