package login_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gatehouse.internal/adapters/geoip"
	"gatehouse.internal/adapters/password"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

// hesitant lets something happen while a password is being compared.
type hesitant struct {
	crypt.Passwords

	meanwhile func()
	compared  int
}

func (p *hesitant) Verify(ctx context.Context, hash string, plain secret.String, forms ...string) (crypt.PasswordVerdict, error) {
	p.compared++
	verdict, err := p.Passwords.Verify(ctx, hash, plain, forms...)
	p.meanwhile()
	return verdict, err
}

// service is the way in with other passwords.
func service(h *harness.Service, passwords crypt.Passwords) *login.Service {
	return &login.Service{
		Accounts: people.Accounts(h.Store), Passwords: passwords, Access: h.Engine.Access, Clock: h.Clock, IDs: system.IDs{},
		Refresh:  &token.Refresh{Key: mac.New([]byte("a key of the test")), Random: system.Random{}},
		Instance: h.Engine.Instance, Random: system.Random{}, Common: password.Strength{}, Risk: &scoring.Scorer{Places: &geoip.Places{}},
		Policies: account.Policies{Instance: h.Engine.Instance, Workspaces: ops.WorkspacePolicies(h.Store)},
		Unit: sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) login.Repos {
			return login.Repos{
				AccessRepos: account.AccessRepos{Users: people.Users(tx), Sessions: people.Sessions(tx), Challenges: signin.Challenges(tx), Devices: signin.Devices(tx)},
				Credentials: signin.Credentials(tx), Workspaces: workspaces.Workspaces(tx), Entrants: signin.Entrants(tx), Belonging: workspaces.UserWorkspaces(tx),
				Events: tx.Events(), Failures: signin.LoginFailures(tx), Factors: signin.SecondFactors(tx),
				Clients: signin.KnownClients(tx), Notices: people.Notices(tx),
				Histories: signin.RiskHistories(tx), Assessments: signin.Assessments(tx),
			}
		}),
	}
}

// attempt logs in by the harness's password while something happens, and returns how often the password was
// compared.
func attempt(t *testing.T, h *harness.Service, meanwhile func()) (compared int, err error) {
	t.Helper()
	hasher, err := password.New(password.Settings{Memory: 1024, Time: 1, Threads: 1}, system.Random{})
	if err != nil {
		t.Fatal(err)
	}
	slow := &hesitant{Passwords: hasher, meanwhile: meanwhile}
	s := service(h, slow)
	parsed, err := email.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.ByPassword(t.Context(), command.Call{}, login.Attempt{Email: parsed, Password: secret.New(harness.Password)})
	return slow.compared, err
}

const (
	address = "alice@example.com"
	newer   = "quite another battery"
)

// onEachStore runs a test on both databases, with an account to log into.
func onEachStore(t *testing.T, test func(t *testing.T, h *harness.Service, root, alice *harness.Actor)) {
	for name, open := range map[string]func(t *testing.T) *harness.Service{
		"sqlite":   func(t *testing.T) *harness.Service { return harness.New(t) },
		"postgres": func(t *testing.T) *harness.Service { return harness.On(t, harness.Postgres(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			test(t, h, h.Superadmin(), h.SignUp(address))
		})
	}
}

// begun is how many sessions there were ever.
func begun(h *harness.Service) int { return len(h.Events(session.KindCreated)) }

// What was compared with a hash that is not the account's any more says nothing:
// it is compared again.
func TestPasswordMovesMeanwhile(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, h *harness.Service, root, alice *harness.Actor) {
		moved := false
		move := func() {
			if !moved {
				moved = true
				root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": newer}).OK()
			}
		}
		before := begun(h)
		if n, err := attempt(t, h, move); !errors.Is(err, login.ErrRefused) || n != 2 {
			t.Errorf("the old password = %v after %d comparisons", err, n)
		}
		if begun(h) != before {
			t.Error("the old password opened a session")
		}
		moved = false
		h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": newer}).OK()
		again := func() {
			if !moved {
				moved = true
				root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": harness.Password}).OK()
			}
		}
		if n, err := attempt(t, h, again); err != nil || n != 2 {
			t.Errorf("the password that is being set = %v after %d comparisons", err, n)
		}
	})
}

func TestPasswordThatNeverRests(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(address)
	times := 0
	n, err := attempt(t, h, func() {
		times++
		root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": fmt.Sprintf("battery number %d", times)}).OK()
	})
	if !errors.Is(err, login.ErrRefused) || n != 3 {
		t.Errorf("%v after %d comparisons", err, n)
	}
}

// A right password opens nothing for an account that was locked, disabled or
// deleted while it was compared.
func TestAccountEndsMeanwhile(t *testing.T) {
	t.Parallel()
	for reason, end := range map[string]func(h *harness.Service, root, alice *harness.Actor){
		loginevent.AccountLocked: func(h *harness.Service, _, _ *harness.Actor) {
			for range 10 {
				h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": "wrong"}).Fails(fault.Auth)
			}
		},
		loginevent.UserDisabled: func(_ *harness.Service, root, alice *harness.Actor) {
			root.Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
		},
		loginevent.UnknownUser: func(_ *harness.Service, root, alice *harness.Actor) {
			root.Do("USER.DELETE", P{"user_id": alice.UserID}).OK()
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			onEachStore(t, func(t *testing.T, h *harness.Service, root, alice *harness.Actor) {
				before := begun(h)
				_, err := attempt(t, h, func() { end(h, root, alice) })
				if !errors.Is(err, login.ErrRefused) || begun(h) != before {
					t.Errorf("%v, %d sessions opened", err, begun(h)-before)
				}
				want := `{"user_id":"` + alice.UserID + `","reason":"` + reason + `"}`
				if got := string(h.Events(loginevent.KindFailed)[0].Data); got != want {
					t.Errorf("event = %s, want %s", got, want)
				}
			})
		})
	}
}
