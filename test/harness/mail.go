package harness

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/mail"
)

// Mailbox takes the letters of all instances on one database.
type Mailbox struct {
	mu      sync.Mutex
	letters []mail.Letter
	fail    error
	// meanwhile is done before a letter is taken.
	meanwhile func()
}

// mailboxes are by database, so that replicas share one.
var mailboxes sync.Map

// mailboxOf returns the mailbox of a database, until the test ends.
func mailboxOf(t testing.TB, database string) *Mailbox {
	found, _ := mailboxes.LoadOrStore(database, &Mailbox{})
	t.Cleanup(func() { mailboxes.Delete(database) })
	return found.(*Mailbox)
}

// Send keeps a letter, or fails as the test wants.
func (m *Mailbox) Send(_ context.Context, letter mail.Letter) error {
	if m.meanwhile != nil {
		m.meanwhile()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil {
		m.letters = append(m.letters, letter)
	}
	return m.fail
}

// Probe keeps a letter, or fails as the test wants.
func (m *Mailbox) Probe(ctx context.Context, letter mail.Letter) ([]string, error) {
	return []string{"C: a letter"}, m.Send(ctx, letter)
}

// Reach fails as sending would.
func (m *Mailbox) Reach(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fail
}

// FailMail makes sending fail with an error from now on; nil lets it succeed.
func (h *Service) FailMail(err error) {
	h.mailbox.mu.Lock()
	defer h.mailbox.mu.Unlock()
	h.mailbox.fail = err
}

// WhileMailing has something done before each letter is taken, from now on.
func (h *Service) WhileMailing(do func()) { h.mailbox.meanwhile = do }

// Letter is a mail that somebody got.
type Letter struct {
	mail.Letter
	t testing.TB
}

// Mail sends all mail that is due, and returns the letters that an address got so
// far, the newest last.
func (h *Service) Mail(address string) []Letter {
	h.t.Helper()
	h.DeliverMail()
	h.mailbox.mu.Lock()
	defer h.mailbox.mu.Unlock()
	var got []Letter
	for _, one := range h.mailbox.letters {
		if strings.EqualFold(one.To.String(), address) {
			got = append(got, Letter{one, h.t})
		}
	}
	return got
}

// LastMail returns the newest letter that an address got; it fails the test when
// there is none.
func (h *Service) LastMail(address string) Letter {
	h.t.Helper()
	got := h.Mail(address)
	if len(got) == 0 {
		h.t.Fatalf("%s got no mail", address)
	}
	return got[len(got)-1]
}

// DeliverMail sends all mail that is due, and returns how many were tried.
func (h *Service) DeliverMail() int {
	h.t.Helper()
	n, err := h.Delivery.Pass(context.Background())
	if err != nil {
		h.t.Fatalf("deliver mail: %v", err)
	}
	return n
}

var (
	linkPattern = regexp.MustCompile(`https?://\S*[?&]token=\S+`)
	codePattern = regexp.MustCompile(`(?m)^(\d{6})$`)
)

// Link is the address in the letter that works once.
func (l Letter) Link() string {
	l.t.Helper()
	found := linkPattern.FindString(l.Text)
	if found == "" {
		l.t.Fatalf("no link in the mail %q: %s", l.Subject, l.Text)
	}
	return found
}

// Token is the one in the letter's link.
func (l Letter) Token() string {
	l.t.Helper()
	parsed, err := url.Parse(l.Link())
	if err != nil {
		l.t.Fatalf("read the link of a mail: %v", err)
	}
	return parsed.Query().Get("token")
}

// Code is the code of six digits in the letter.
func (l Letter) Code() string {
	l.t.Helper()
	found := codePattern.FindStringSubmatch(l.Text)
	if found == nil {
		l.t.Fatalf("no code in the mail %q: %s", l.Subject, l.Text)
	}
	return found[1]
}
