package mail

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	letters "gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
)

// kept is how many letters are shown.
const kept = 100

// Recent keeps the last letters in memory, for people who develop, and shows them
// over HTTP. What is to be sent goes on to the next.
type Recent struct {
	Next interface {
		mailing.Mailer
		mailing.Prober
		mailing.Server
	}
	Clock outbound.Clock

	guard   sync.Mutex
	letters []Kept
}

// Kept is a letter as GET /dev/mail shows it.
type Kept struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	HTML    string    `json:"html"`
}

var (
	_ mailing.Mailer = (*Recent)(nil)
	_ mailing.Prober = (*Recent)(nil)
	_ mailing.Server = (*Recent)(nil)
	_ http.Handler   = (*Recent)(nil)
)

// Send keeps a letter and sends it on.
func (r *Recent) Send(ctx context.Context, letter letters.Letter) error {
	r.keep(letter)
	return r.Next.Send(ctx, letter)
}

// Probe keeps a letter and sends it on.
func (r *Recent) Probe(ctx context.Context, letter letters.Letter) ([]string, error) {
	r.keep(letter)
	return r.Next.Probe(ctx, letter)
}

// Reach reaches the next.
func (r *Recent) Reach(ctx context.Context) error { return r.Next.Reach(ctx) }

func (r *Recent) keep(letter letters.Letter) {
	r.guard.Lock()
	defer r.guard.Unlock()
	r.letters = append(r.letters, Kept{
		ID: letter.ID.String(), At: r.Clock.Now(), From: letter.From, To: letter.To.String(),
		Subject: letter.Subject, Text: letter.Text, HTML: letter.HTML,
	})
	if over := len(r.letters) - kept; over > 0 {
		r.letters = slices.Delete(r.letters, 0, over)
	}
}

// Letters returns the letters that are kept, newest first.
func (r *Recent) Letters() []Kept {
	r.guard.Lock()
	defer r.guard.Unlock()
	newest := append([]Kept{}, r.letters...)
	slices.Reverse(newest)
	return newest
}

// ServeHTTP answers the letters, newest first.
func (r *Recent) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]any{"items": r.Letters()})
}
