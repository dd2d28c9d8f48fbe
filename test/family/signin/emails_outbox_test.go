package signin_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/harness"
)

func TestOutboxListsWithoutBodies(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database, "ENCRYPTION_KEY=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
		ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("Bob@example.com"), h.Superadmin()
		h.DeliverMail()
		queue(t, h, ada, 2)
		h.DeliverMail()
		queue(t, h, bob, 1)
		queued := root.Do("EMAIL.OUTBOX_LIST", harness.P{"status": "queued", "template": "security_notice"}).OK().List("items")
		if len(queued) != 1 || queued[0]["to"] != "Bob@example.com" || queued[0]["attempts"] != 0.0 || queued[0]["last_error"] != "" || queued[0]["at"] == "" {
			t.Errorf("queued %v", queued)
		}
		for _, filter := range []harness.P{{"to": "bob@EXAMPLE.com"}, {"to": "BOB@example.com", "status": "queued"}} {
			filter["template"] = "security_notice"
			if got := root.Do("EMAIL.OUTBOX_LIST", filter).OK().List("items"); len(got) != 1 || got[0]["id"] != queued[0]["id"] {
				t.Errorf("%v: %v", filter, got)
			}
		}
		sent := root.Do("EMAIL.OUTBOX_LIST", harness.P{"to": "ada@example.com", "status": "sent", "template": "security_notice", "limit": 1}).OK()
		rest := root.Do("EMAIL.OUTBOX_LIST", harness.P{"to": "ada@example.com", "status": "sent", "template": "security_notice", "limit": 1, "cursor": sent.String("next_cursor")}).OK()
		first, second := sent.List("items"), rest.List("items")
		if len(first) != 1 || len(second) != 1 || first[0]["id"] == second[0]["id"] || rest.Data["next_cursor"] != nil || first[0]["attempts"] != 1.0 {
			t.Errorf("sent %v, then %v", sent.Data, rest.Data)
		}
		whole, err := json.Marshal(root.Do("EMAIL.OUTBOX_LIST", nil).OK().Data)
		if err != nil || strings.Contains(string(whole), "token=") || strings.Contains(string(whole), "Hello") {
			t.Errorf("a body is shown: %s", whole)
		}
		if got := root.Do("EMAIL.OUTBOX_LIST", harness.P{"to": "nobody@example.com"}).OK().List("items"); len(got) != 0 {
			t.Errorf("for nobody: %v", got)
		}
		root.Do("EMAIL.OUTBOX_LIST", harness.P{"to": "nobody"}).Fails(fault.Validation).Field("/to")
		root.Do("EMAIL.OUTBOX_LIST", harness.P{"cursor": sent.String("next_cursor")}).Fails(fault.Validation).Field("/cursor")
	})
}

func TestRetryQueuesWhatFailed(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada, root := h.SignUpVerified("ada@example.com"), h.Superadmin()
		h.DeliverMail()
		queue(t, h, ada, 3)
		h.FailMail(&mail.Refused{Permanent: true, Text: "the mail server responded: 550 no"})
		h.DeliverMail()
		failed := root.Do("EMAIL.OUTBOX_LIST", harness.P{"status": "failed"}).OK().List("items")
		if len(failed) != 3 || failed[0]["last_error"] != "the mail server responded: 550 no" {
			t.Fatalf("failed %v", failed)
		}
		since := h.Clock.Now()
		root.Do("EMAIL.OUTBOX_RETRY", nil).Fails(fault.Validation)
		root.Do("EMAIL.OUTBOX_RETRY", harness.P{"message_id": failed[0]["id"], "failed_since": since}).Fails(fault.Validation)
		root.Do("EMAIL.OUTBOX_RETRY", harness.P{"message_id": "eml_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
		one := root.Do("EMAIL.OUTBOX_RETRY", harness.P{"message_id": failed[0]["id"]}).OK()
		if one.Int("queued") != 1 {
			t.Errorf("queued %v", one.Data)
		}
		root.Do("EMAIL.OUTBOX_RETRY", harness.P{"message_id": failed[0]["id"]}).Fails(fault.Validation)
		h.FailMail(nil)
		if got := h.DeliverMail(); got != 1 {
			t.Errorf("%d were due, want 1", got)
		}
		if got := root.Do("EMAIL.OUTBOX_RETRY", harness.P{"failed_since": since.Add(time.Microsecond)}).OK().Int("queued"); got != 0 {
			t.Errorf("%d failed after that, want none", got)
		}
		if got := root.DryRun().Do("EMAIL.OUTBOX_RETRY", harness.P{"failed_since": since}).OK().Int("queued"); got != 2 {
			t.Errorf("a dry run tells %d, want 2", got)
		}
		if got := root.Do("EMAIL.OUTBOX_RETRY", harness.P{"failed_since": since}).OK().Int("queued"); got != 2 {
			t.Errorf("%d failed since, want 2", got)
		}
		h.DeliverMail()
		if got := root.Do("EMAIL.OUTBOX_LIST", harness.P{"status": "sent", "template": "security_notice"}).OK().List("items"); len(got) != 3 {
			t.Errorf("%d sent, want 3", len(got))
		}
		if got := h.Events(mail.KindRequeued); len(got) != 2 || !strings.Contains(string(got[0].Data), `"mails":2`) || !strings.Contains(string(got[1].Data), failed[0]["id"].(string)) {
			t.Errorf("events %+v", got)
		}
	})
}

func TestTestShowsTheConversation(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	got := root.Do("EMAIL.TEST", harness.P{"to": "ada@example.com"}).OK()
	if !got.Bool("accepted") || len(got.Strings("smtp_log")) == 0 {
		t.Errorf("test %v", got.Data)
	}
	if letter := h.LastMail("ada@example.com"); letter.Subject != "Test email from Gatehouse" || !strings.HasPrefix(letter.ID.String(), "eml_") {
		t.Errorf("subject %q", letter.Subject)
	}
	root.Do("EMAIL.TEST", harness.P{"to": "ada@example.com", "template": "login_code"}).OK()
	if letter := h.LastMail("ada@example.com"); !strings.Contains(letter.Subject, letter.Code()) {
		t.Errorf("subject %q", letter.Subject)
	}
	h.FailMail(errors.New("connection refused"))
	if got := root.Do("EMAIL.TEST", harness.P{"to": "ada@example.com"}).OK(); got.Bool("accepted") {
		t.Errorf("test %v", got.Data)
	}
	root.Do("EMAIL.TEST", harness.P{"to": "ada@example.com, bob@example.com"}).Fails(fault.Validation).Field("/to")
	root.Do("EMAIL.SUPPRESSION_ADD", harness.P{"email": "bob@example.com"}).OK()
	root.Do("EMAIL.TEST", harness.P{"to": "BOB@example.com"}).Fails(fault.Validation).Field("/to")
}

// While the mail server is talked to, nobody else waits.
func TestNothingIsHeldDuringATest(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	taken := 0
	h.WhileMailing(func() {
		taken++
		ada.Do("USER.UPDATE", harness.P{"display_name": "Ada"}).OK()
	})
	for range 2 {
		if got := root.Idempotent("k").Do("EMAIL.TEST", harness.P{"to": "bob@example.com"}).OK(); !got.Bool("accepted") {
			t.Errorf("answered %v", got.Data)
		}
	}
	if taken != 1 {
		t.Errorf("%d letters went out by one key", taken)
	}
}
