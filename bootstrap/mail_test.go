package bootstrap_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/bootstrap"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/fake/mailbox"
	"gatehouse.internal/test/harness"
)

func page(handler http.Handler, path string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	request.RemoteAddr = "127.0.0.1:50000"
	handler.ServeHTTP(answer, request)
	return answer
}

func TestDevelopmentShowsTheLastMails(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Superadmin().Do("EMAIL.TEST", harness.P{"to": "ada@example.com"}).OK()
	answer := page(h.Handler, "/dev/mail")
	var shown struct {
		Items []struct {
			To, Subject, Text, HTML string
		} `json:"items"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &shown); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if len(shown.Items) != 1 || shown.Items[0].To != "ada@example.com" || shown.Items[0].Subject == "" || shown.Items[0].HTML == "" {
		t.Errorf("items %+v", shown.Items)
	}
}

func TestProductionShowsNoMail(t *testing.T) {
	t.Parallel()
	s, err := build(t, sqliteFile(t))
	if err != nil {
		t.Fatal(err)
	}
	if answer := page(s.Handler, "/dev/mail"); answer.Code != http.StatusNotFound {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if metrics := page(s.Handler, "/metrics").Body.String(); !strings.Contains(metrics, `gatehouse_queue_depth{queue="mail"} 0`) {
		t.Error("the metrics tell nothing of mail")
	}
}

// A mail is requested by a command and delivered to a real SMTP server.
func TestMailGoesBySMTP(t *testing.T) {
	t.Parallel()
	server := mailbox.Start(t, mailbox.Options{Auth: true})
	var log strings.Builder
	c, err := config.Load(good("DATABASE_URL="+sqliteFile(t), "SMTP_URL="+server.URL(), "MAIL_FROM=Gatehouse <no-reply@example.com>",
		"ARGON2_MEMORY_KIB=1024", "ARGON2_TIME=1", admin[0], admin[1]), false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bootstrap.Build(t.Context(), c, bootstrap.Options{
		Clock: system.Clock{}, IDs: system.NewIDs(system.Clock{}), Random: system.Random{}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Delivery.Run(ctx)
	}()
	unit := sqlstore.NewUnit(s.Store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
	parsed := mail.Request{Template: mail.PasswordReset, Link: mail.Link{Kind: challenge.PasswordReset, Minutes: 30, Page: "/recover"}}
	if err := parsed.To.UnmarshalText([]byte("root@example.com")); err != nil {
		t.Fatal(err)
	}
	if err := unit.Do(ctx, func(tx *sqlstore.Tx) error { return tx.Mails().Queue(ctx, parsed) }); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(20 * time.Second)
	for len(server.Letters()) == 0 {
		select {
		case <-deadline:
			t.Fatalf("no mail; log: %s", log.String())
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	<-ended
	got := server.Letters()[0]
	if got.To != "root@example.com" || got.From != "no-reply@example.com" || !strings.Contains(got.Text, "https://auth.example.com/recover?token=") {
		t.Errorf("letter %+v", got)
	}
	if strings.Contains(log.String(), mailbox.Password) || strings.Contains(log.String(), "root@example.com") {
		t.Errorf("the log tells too much: %s", log.String())
	}
}
