package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/bootstrap"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/fake/nameserver"
)

// Password is what people of the harness log in by.
const Password = "correct horse battery"

// AdminEmail is the superadmin's address.
const AdminEmail = "root@example.com"

// Issuer is the public address of harness instances.
const Issuer = "http://gatehouse.test"

// Service is the real service in this process, with a clock that the test moves.
type Service struct {
	*bootstrap.Service

	Clock *Clock
	// DNS is the resolver that all instances on the database ask.
	DNS *nameserver.Server
	// Web is what clients publish of themselves.
	Web     *Web
	mailbox *Mailbox
	t       testing.TB
}

// New builds the service on a fresh SQLite file. It is closed with the test, and
// fails it when a command stores an event that it does not declare.
func New(t testing.TB) *Service {
	t.Helper()
	return On(t, SQLite(t))
}

// On builds the service on a database, with variables of its own over the
// defaults, as NAME=value. Several on one database are replicas.
func On(t testing.TB, database string, variables ...string) *Service {
	t.Helper()
	return build(t, database, true, variables)
}

// InProduction is On without what a development instance allows, such as webhooks into
// private networks.
func InProduction(t testing.TB, database string, variables ...string) *Service {
	t.Helper()
	return build(t, database, false, variables)
}

func build(t testing.TB, database string, development bool, variables []string) *Service {
	t.Helper()
	resolver := resolverOf(t, database)
	environment := map[string]string{
		"DATABASE_URL": database, "SERVICE_HOST": Issuer,
		"JWT_SECRET":            "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U",
		"BOOTSTRAP_ADMIN_EMAIL": AdminEmail, "BOOTSTRAP_ADMIN_PASSWORD": Password,
		// Cheap hashes: what costs is tested where it is built.
		"ARGON2_MEMORY_KIB": "1024", "ARGON2_TIME": "1",
		"DNS_RESOLVER": resolver.Address(),
	}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		environment[name] = value
	}
	c, err := config.Load(environment, development)
	if err != nil {
		t.Fatalf("configuration: %v", err)
	}
	mailbox, web := mailboxOf(t, database), webOf(t, database)
	clock := clockOf(t, database)
	service, err := bootstrap.Build(context.Background(), c, bootstrap.Options{
		Clock: clock, IDs: system.NewIDs(clock), Random: system.Random{}, Logger: logger(t), Mailer: mailbox, Documents: web, Pictures: web,
		// A processor that fails is asked again at once: what waits is tested where it is built.
		Pause: time.Millisecond,
		Undeclared: func(command string, kind event.Kind) {
			t.Errorf("%s stored %s, which it does not declare", command, kind)
		},
	})
	if err != nil {
		t.Fatalf("build the service: %v", err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Errorf("close the service: %v", err)
		}
	})
	return &Service{Service: service, Clock: clock, DNS: resolver, Web: web, mailbox: mailbox, t: t}
}

// logger shows what the service logs when the test fails.
func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// Clock is a clock that stands still until the test moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// starts holds the time at which the newest service of each database started.
var starts sync.Map

// clockOf returns the clock of another service on a database. It starts a millisecond after
// that of the service before: events of replicas have an order, and the skew of the
// replicas does not depend on how long a start takes.
func clockOf(t testing.TB, database string) *Clock {
	first := &Clock{now: time.Now().UTC().Truncate(time.Microsecond)}
	found, _ := starts.LoadOrStore(database, first)
	t.Cleanup(func() { starts.Delete(database) })
	newest := found.(*Clock)
	newest.Advance(time.Millisecond)
	return &Clock{now: newest.Now()}
}

// Now is the time the test has set.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// Events returns the stored events of a kind, newest first; "" gives all.
func (h *Service) Events(kind event.Kind) []event.Record {
	h.t.Helper()
	const plenty = 10_000
	found, err := h.Store.AuditTrail().Search(context.Background(), outbound.AuditQuery{Kind: kind, Limit: plenty})
	if err != nil {
		h.t.Fatalf("search events: %v", err)
	}
	return found
}

// WatchDomains looks up all verified domains that are due.
func (h *Service) WatchDomains() {
	h.t.Helper()
	if err := h.Keeper.Domains.Pass(context.Background()); err != nil {
		h.t.Fatalf("look domains up: %v", err)
	}
}

// RunJobs carries out all jobs that are due.
func (h *Service) RunJobs() {
	h.t.Helper()
	if _, err := h.Jobs.Pass(context.Background()); err != nil {
		h.t.Fatalf("carry out jobs: %v", err)
	}
}

// SendWebhooks makes all attempts that are due, and returns how many there were.
func (h *Service) SendWebhooks() int {
	h.t.Helper()
	n, err := h.Relay.Pass(context.Background())
	if err != nil {
		h.t.Fatalf("send webhooks: %v", err)
	}
	return n
}

// Settle applies what payment processors told, and makes calls that are due.
func (h *Service) Settle() {
	h.t.Helper()
	if _, err := h.Payments.Pass(context.Background()); err != nil {
		h.t.Fatalf("settle payments: %v", err)
	}
}

// Anonymous is somebody without a credential.
func (h *Service) Anonymous() *Actor { return &Actor{h: h} }

// Superadmin logs the first superadmin in.
func (h *Service) Superadmin() *Actor {
	h.t.Helper()
	return h.Login(AdminEmail, Password)
}

// SignUp makes an account and is logged into it.
func (h *Service) SignUp(email string) *Actor {
	h.t.Helper()
	name, _, _ := strings.Cut(email, "@")
	return h.actor(h.Anonymous().Do("AUTH.SIGNUP", P{"email": email, "password": Password, "display_name": name}).OK())
}

// SignUpVerified signs somebody up who then shows the address to be theirs.
func (h *Service) SignUpVerified(email string) *Actor {
	h.t.Helper()
	a := h.SignUp(email)
	a.Verify(email)
	return a
}

// Verify follows the link that was mailed to verify an address.
func (a *Actor) Verify(email string) {
	a.h.t.Helper()
	for _, letter := range a.h.Mail(email) {
		if strings.Contains(letter.Text, "/verify?token=") {
			a.Do("AUTH.VERIFY_EMAIL", P{"token": letter.Token()}).OK()
			return
		}
	}
	a.h.t.Fatalf("no link to verify %s was mailed", email)
}

// Login opens another session of an account.
func (h *Service) Login(email, password string) *Actor {
	h.t.Helper()
	return h.actor(h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": password}).OK())
}

// actor is who stands behind a token pair.
func (h *Service) actor(pair *Reply) *Actor {
	h.t.Helper()
	a := &Actor{h: h, AccessToken: pair.String("access_token"), RefreshToken: pair.String("refresh_token")}
	who := a.Do("AUTH.WHOAMI", nil).OK()
	a.UserID, a.OrgID, a.SessionID = who.String("subject"), who.String("org_id"), who.String("session_id")
	return a
}

// With returns an actor of another access token.
func (h *Service) With(accessToken string) *Actor { return &Actor{h: h, AccessToken: accessToken} }

// P is a JSON object.
type P = map[string]any

// Actor calls commands.
type Actor struct {
	UserID, OrgID, SessionID  string
	AccessToken, RefreshToken string

	h       *Service
	dryRun  bool
	replay  string
	address int
	client  string
	app     *inbound.ClientCredentials
}

// Client returns an actor that calls by the credentials of a client of OAuth.
func (h *Service) Client(by inbound.ClientCredentials) *Actor { return &Actor{h: h, app: &by} }

// By is the same actor, calling with a client that calls itself so.
func (a *Actor) By(userAgent string) *Actor {
	other := *a
	other.client = userAgent
	return &other
}

// DryRun is the same actor, whose next calls are taken back.
func (a *Actor) DryRun() *Actor {
	dry := *a
	dry.dryRun = true
	return &dry
}

// Idempotent is the same actor, sending this Idempotency-Key.
func (a *Actor) Idempotent(key string) *Actor {
	careful := *a
	careful.replay = key
	return &careful
}

// Do executes a command. Each call comes from an address of its own, unless the
// actor was given one, so that limits by address are met only on purpose.
func (a *Actor) Do(command string, params P) *Reply {
	a.h.t.Helper()
	if params == nil {
		params = P{}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		a.h.t.Fatalf("encode parameters: %v", err)
	}
	return a.Send(command, raw)
}

// Send executes a command with parameters as they were sent, which need not be an
// object.
func (a *Actor) Send(command string, params []byte) *Reply {
	a.h.t.Helper()
	request := inbound.Request{
		Command: command, Params: params, DryRun: a.dryRun, IdempotencyKey: a.replay, Client: a.app,
		IP: a.ip(), UserAgent: cmp.Or(a.client, "harness/1.0"), RequestID: "harness-" + command,
	}
	if a.AccessToken != "" {
		request.Authorization = "Bearer " + a.AccessToken
	}
	return a.h.reply(a.h.Engine.Execute(context.Background(), request))
}
