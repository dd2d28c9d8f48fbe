package mail_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/system"
	domainmail "gatehouse.internal/domain/mail"
)

func TestRecentShowsTheLastHundred(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	recent := &mail.Recent{Next: mail.LogMailer{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Clock: system.Clock{}}
	show := func() []map[string]any {
		answer := httptest.NewRecorder()
		recent.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/dev/mail", nil))
		var page struct {
			Items []map[string]any `json:"items"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || page.Items == nil {
			t.Fatalf("%s: %v", answer.Body, err)
		}
		if answer.Header().Get("Cache-Control") != "no-store" {
			t.Error("it may be stored")
		}
		return page.Items
	}
	if got := show(); len(got) != 0 {
		t.Errorf("items %v", got)
	}
	for n := range 105 {
		one := letter("ada@example.com")
		one.Subject = strconv.Itoa(n)
		if err := recent.Send(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	got := show()
	if len(got) != 100 || got[0]["subject"] != "104" || got[99]["subject"] != "5" || got[0]["to"] != "ada@example.com" || got[0]["html"] != "<p>Hallo <b>Ada</b></p>" {
		t.Errorf("%d items, the first %v", len(got), got[0])
	}
	for _, personal := range []string{"ada@", "Hallo", "Grüße"} {
		if strings.Contains(log.String(), personal) {
			t.Errorf("%s stands in the log", personal)
		}
	}
	if !strings.Contains(log.String(), "eml_") {
		t.Error("the log does not tell of mail")
	}
	if said, err := recent.Probe(t.Context(), letter("ada@example.com")); err == nil || len(said) == 0 {
		t.Errorf("Probe() = %v, %v, want that there is no server", said, err)
	}
}

func TestRecentWaitsForALetter(t *testing.T) {
	t.Parallel()
	recent := &mail.Recent{Next: mail.LogMailer{Logger: slog.New(slog.DiscardHandler)}, Clock: system.Clock{}}
	ask := func(query string) string {
		answer := httptest.NewRecorder()
		recent.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/dev/mail?"+query, nil))
		return answer.Body.String()
	}
	if err := recent.Send(t.Context(), letter("ada@example.com")); err != nil {
		t.Fatal(err)
	}
	answered := make(chan string)
	go func() { answered <- ask("to=Bob@example.com&text=Hallo&wait=30") }()
	other := letter("bob@example.com")
	other.Text = "Something else"
	for _, one := range []domainmail.Letter{other, letter("bob@example.com")} {
		if err := recent.Send(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	if said := <-answered; strings.Count(said, `"to":`) != 1 || !strings.Contains(said, "bob@") {
		t.Errorf("the letter that was waited for: %s", said)
	}
	if said := ask("to=eve@example.com"); said != "{\"items\":[]}\n" {
		t.Errorf("without a letter: %s", said)
	}
	if said := ask("to=bob@example.com&wait=nonsense"); strings.Count(said, `"to":`) != 2 {
		t.Errorf("letters to one person: %s", said)
	}
}
