package mail

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	domainmail "gatehouse.internal/domain/mail"
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
	letters []RecentMail
	// arrived is closed when the next letter is kept.
	arrived chan struct{}
}

// RecentMail is a letter as GET /dev/mail shows it.
type RecentMail struct {
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
func (r *Recent) Send(ctx context.Context, letter domainmail.Letter) error {
	r.keep(letter)
	return r.Next.Send(ctx, letter)
}

// Probe keeps a letter and sends it on.
func (r *Recent) Probe(ctx context.Context, letter domainmail.Letter) ([]string, error) {
	r.keep(letter)
	return r.Next.Probe(ctx, letter)
}

// Reach reaches the next.
func (r *Recent) Reach(ctx context.Context) error { return r.Next.Reach(ctx) }

func (r *Recent) keep(letter domainmail.Letter) {
	r.guard.Lock()
	defer r.guard.Unlock()
	r.letters = append(r.letters, RecentMail{
		ID: letter.ID.String(), At: r.Clock.Now(), From: letter.From, To: letter.To.String(),
		Subject: letter.Subject, Text: letter.Text, HTML: letter.HTML,
	})
	if over := len(r.letters) - kept; over > 0 {
		r.letters = slices.Delete(r.letters, 0, over)
	}
	if r.arrived != nil {
		close(r.arrived)
		r.arrived = nil
	}
}

// next returns a channel that is closed when the next letter is kept.
func (r *Recent) next() <-chan struct{} {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.arrived == nil {
		r.arrived = make(chan struct{})
	}
	return r.arrived
}

// Letters returns the letters that are kept, newest first.
func (r *Recent) Letters() []RecentMail {
	r.guard.Lock()
	defer r.guard.Unlock()
	newest := append([]RecentMail{}, r.letters...)
	slices.Reverse(newest)
	return newest
}

// longestWait is the maximum of the query parameter wait.
const longestWait = 30 * time.Second

// ServeHTTP answers the letters, newest first. Query parameters select letters: to is the
// recipient, text is contained in the text. With wait, a number of seconds, the response is
// delayed until there is a selected letter.
func (r *Recent) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	seconds, _ := strconv.Atoi(query.Get("wait"))
	patience, cancel := context.WithTimeout(request.Context(), min(time.Duration(seconds)*time.Second, longestWait))
	defer cancel()
	selected := r.waitFor(patience, func(one RecentMail) bool {
		return (query.Get("to") == "" || strings.EqualFold(one.To, query.Get("to"))) && strings.Contains(one.Text, query.Get("text"))
	})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]any{"items": selected})
}

// waitFor returns the selected letters, as soon as there are any or the context has ended.
func (r *Recent) waitFor(ctx context.Context, selects func(RecentMail) bool) []RecentMail {
	for {
		next := r.next()
		selected := slices.DeleteFunc(r.Letters(), func(one RecentMail) bool { return !selects(one) })
		if len(selected) > 0 {
			return selected
		}
		select {
		case <-ctx.Done():
			return selected
		case <-next:
		}
	}
}
