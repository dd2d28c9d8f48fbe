// Package contract holds what every store must do, one suite for each port. A store
// runs them all by one call of Run, and one of tables also those of RunTables.
package contract

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Opener makes a new store for a test; each call of what it returns opens one more
// replica of it. What could not be opened is closed.
type Opener func(t *testing.T) func(c Conditions) (*Ports, error)

// suite checks one port, or what several have in common.
type suite struct {
	name string
	run  func(*testing.T, Opener)
}

// Run runs every suite on new stores.
func Run(t *testing.T, open Opener) {
	t.Helper()
	for _, one := range slices.Concat(suites(), ofPeople()) {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			one.run(t, open)
		})
	}
}

func suites() []suite {
	return []suite{
		{"Units", Units},
		{"Transactions", Transactions},
		{"Standing", Standing},
		{"Answers", Answers},
		{"Users", Users},
		{"Credentials", Credentials},
		{"Workspaces", Workspaces},
		{"Roles", Roles},
		{"Groups", Groups},
		{"Invitations", Invitations},
		{"MailDomains", MailDomains},
		{"Holders", Holders},
		{"Sessions", Sessions},
		{"Events", Events},
		{"Accounts", Accounts},
		{"Configuration", Configuration},
		{"Flows", Flows},
		{"FlowRuns", FlowRuns},
		{"Assessments", Assessments},
		{"IPRules", IPRules},
		{"KeyRing", KeyRing},
		{"LoginFailures", LoginFailures},
		{"Admission", Admission},
		{"Rotations", Rotations},
		{"Apps", Apps},
		{"AppDirectory", AppDirectory},
		{"Resources", Resources},
		{"Relations", Relations},
		{"IssuedTokens", IssuedTokens},
		{"TokenIssues", TokenIssues},
		{"Pending", Pending},
		{"TokenDirectory", TokenDirectory},
		{"AppOwners", AppOwners},
		{"Suspensions", Suspensions},
		{"Clients", Clients},
		{"Proofs", Proofs},
		{"APIKeys", APIKeys},
		{"APIKeyDirectory", APIKeyDirectory},
		{"LastUses", LastUses},
		{"AuditLog", AuditLog},
		{"DPoPBindings", DPoPBindings},
		{"Grants", Grants},
		{"GrantTurns", GrantTurns},
		{"OAuthDevices", OAuthDevices},
		{"BindingDirectory", BindingDirectory},
		{"UserDirectory", UserDirectory},
		{"WorkspaceDirectory", WorkspaceDirectory},
		{"MemberDirectory", MemberDirectory},
		{"SessionDirectory", SessionDirectory},
		{"AuditTrail", AuditTrail},
		{"Quotas", Quotas},
		{"Upkeep", Upkeep},
		{"Replicas", Replicas},
	}
}

// ofPeople are the suites about how people log in, and what they are told.
func ofPeople() []suite {
	return []suite{
		{"Passkeys", Passkeys},
		{"Challenges", Challenges},
		{"Guesses", Guesses},
		{"SecondFactors", SecondFactors},
		{"Entrants", Entrants},
		{"SignInRules", SignInRules},
		{"LoginMethods", LoginMethods},
		{"Devices", Devices},
		{"Notices", Notices},
		{"Impersonations", Impersonations},
		{"KnownClients", KnownClients},
		{"Lockouts", Lockouts},
		{"Links", Links},
		{"Redirects", Redirects},
		{"RedirectOrigins", RedirectOrigins},
		{"Void", Void},
		{"Mails", Mails},
		{"Suppressions", Suppressions},
		{"MailTemplates", MailTemplates},
		{"Brandings", Brandings},
		{"BrandingsInTurn", BrandingsInTurn},
		{"Social", Social},
	}
}

// world is one replica with what a test needs to look at it.
type world struct {
	store *Ports
	unit  outbound.Unit[Repos]
	ids   outbound.IDs
	clock *clock
	again func(c Conditions) (*Ports, error)
}

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// noon has a fraction that uses every digit a store keeps.
func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 123457000, time.UTC) }

// The keys that worlds are sealed with.
const (
	oneKey    = "1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	otherKey  = "1:Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="
	jwtSecret = "a secret that is long enough for a test"
)

func sealer(t *testing.T, keys string) *cipher.Sealer {
	t.Helper()
	if keys == "" {
		return cipher.New(cipher.Keys{}, system.Random{})
	}
	parsed, err := cipher.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	return cipher.New(parsed, system.Random{})
}

// Defaults are those of a store with sealing on, whose clock stands still.
func Defaults(t *testing.T) Conditions {
	t.Helper()
	still := &clock{now: noon()}
	return Conditions{
		Personal: sealer(t, oneKey),
		Secrets:  cipher.FromSecret(jwtSecret, "test", system.Random{}),
		Clock:    still, IDs: system.NewIDs(still), Random: system.Random{},
	}
}

// newWorld opens a new store.
func newWorld(t *testing.T, open Opener) *world {
	t.Helper()
	return openWorld(t, open(t), Defaults(t))
}

// openWorld opens a replica and closes it when the test ends.
func openWorld(t *testing.T, open func(c Conditions) (*Ports, error), c Conditions) *world {
	t.Helper()
	store, err := open(c)
	if err != nil {
		t.Fatal(err)
	}
	return worldOf(t, store, open, c)
}

func worldOf(t *testing.T, store *Ports, open func(c Conditions) (*Ports, error), c Conditions) *world {
	t.Helper()
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{store: store, unit: store.Unit, ids: c.IDs, again: open}
	w.clock, _ = c.Clock.(*clock)
	return w
}

// elsewhere changes something by another replica.
func (w *world) elsewhere(t *testing.T, change func(ctx context.Context, tx Repos) error) {
	t.Helper()
	c := Defaults(t)
	c.Clock, c.IDs = w.clock, w.ids
	openWorld(t, w.again, c).do(t, change)
}

// do runs a change that must succeed.
func (w *world) do(t *testing.T, change func(ctx context.Context, tx Repos) error) {
	t.Helper()
	ctx := t.Context()
	if err := w.unit.Do(ctx, func(tx Repos) error { return change(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
}

// fails runs a change that must fail with an error.
func (w *world) fails(t *testing.T, want error, change func(ctx context.Context, tx Repos) error) {
	t.Helper()
	ctx := t.Context()
	if err := w.unit.Do(ctx, func(tx Repos) error { return change(ctx, tx) }); !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
}

var errEnough = errors.New("enough")

// conflicts runs a save of a stale copy: it must fail, and lead to another run.
func (w *world) conflicts(t *testing.T, save func(ctx context.Context, tx Repos) error) {
	t.Helper()
	var first error
	runs := 0
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		if runs++; runs > 1 {
			return errEnough
		}
		first = save(t.Context(), tx)
		return first
	})
	if !errors.Is(first, aggregate.ErrConflict) || !errors.Is(err, errEnough) {
		t.Fatalf("saving a stale copy: %v, want ErrConflict; the unit: %v, want a second run", first, err)
	}
}

// inTurn runs two changes of which the second must wait for the first to end.
func inTurn(t *testing.T, first, second func(held func()) error) {
	t.Helper()
	const patience = 100 * time.Millisecond
	holding, errs := make(chan struct{}), make(chan error, 2)
	secondDone := make(chan struct{})
	go func() {
		errs <- first(sync.OnceFunc(func() {
			close(holding)
			select {
			case <-secondDone:
				t.Error("the second did not wait for the first")
			case <-time.After(patience):
			}
		}))
	}()
	<-holding
	go func() {
		errs <- second(sync.OnceFunc(func() { close(secondDone) }))
	}()
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// is compares an error.
func is(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// equal compares values, times by their instant.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(email.Address{}, secret.String{}), cmp.Comparer(same[netip.Prefix])); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// same compares what == compares.
func same[T comparable](a, b T) bool { return a == b }
