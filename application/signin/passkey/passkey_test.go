package passkey_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"gatehouse.internal/adapters/geoip"
	passkeyadapter "gatehouse.internal/adapters/passkey"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mac"
	domainpasskey "gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

const address = "alice@example.com"

// hesitant lets something happen once an answer was read, before it is judged.
type hesitant struct {
	signin.Ceremonies

	meanwhile func()
}

func (c hesitant) Created(credential []byte) (signin.CreatedPasskey, error) {
	given, err := c.Ceremonies.Created(credential)
	c.meanwhile()
	return given, err
}

func (c hesitant) Asserted(credential []byte) (signin.PasskeyAssertion, error) {
	given, err := c.Ceremonies.Asserted(credential)
	c.meanwhile()
	return given, err
}

// service runs ceremonies on the store of a harness, slowly.
func service(t *testing.T, h *harness.Service, meanwhile func()) *passkey.Service {
	t.Helper()
	ceremonies, err := passkeyadapter.New(passkeyadapter.RelyingParty{ID: "gatehouse.test", Origins: []string{harness.Issuer}, Life: passkey.Life}, system.Random{})
	if err != nil {
		t.Fatal(err)
	}
	repos := func(tx *sqlstore.Tx) login.Repos {
		return login.Repos{
			AccessRepos: account.AccessRepos{Users: people.Users(tx), Sessions: people.Sessions(tx), Challenges: signinstore.Challenges(tx), Devices: signinstore.Devices(tx)},
			Credentials: signinstore.Credentials(tx), Workspaces: workspaces.Workspaces(tx), Entrants: signinstore.Entrants(tx), Belonging: workspaces.UserWorkspaces(tx),
			Events: tx.Events(), Failures: signinstore.LoginFailures(tx), Factors: signinstore.SecondFactors(tx), Clients: signinstore.KnownClients(tx), Notices: people.Notices(tx), Mails: tx.Mails(),
			Histories: signinstore.RiskHistories(tx), Assessments: signinstore.Assessments(tx),
		}
	}
	policies := account.Policies{Instance: h.Engine.Instance, Workspaces: ops.WorkspacePolicies(h.Store)}
	ids := system.NewIDs(h.Clock)
	return &passkey.Service{
		Unit: sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) passkey.Repos {
			return passkey.Repos{Repos: repos(tx), Passkeys: signinstore.Passkeys(tx)}
		}),
		Directory: signinstore.PasskeyDirectory(h.Store), Openings: signinstore.Openings(h.Store), Ceremonies: hesitant{ceremonies, meanwhile},
		Login: &login.Service{
			Accounts: people.Accounts(h.Store), Unit: sqlstore.NewUnit(h.Store, repos), Policies: policies, Instance: h.Engine.Instance,
			Access: h.Engine.Access, Refresh: &token.Refresh{Key: mac.New([]byte("a key of the test")), Random: system.Random{}},
			Clock: h.Clock, IDs: ids, Random: system.Random{}, Risk: &scoring.Scorer{Places: &geoip.Places{}},
		},
		Policies: policies, Instance: h.Engine.Instance, Clock: h.Clock, IDs: ids,
	}
}

// Whoever lost the session, or the account, while their passkey was on its way, does
// not leave it behind as a way back in.
func TestSessionEndsMeanwhile(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		for name, c := range map[string]struct {
			end  func(who *harness.Actor)
			want error
		}{
			"logout": {func(who *harness.Actor) { who.Do("AUTH.LOGOUT", nil).OK() }, session.ErrEnded},
			"password": {func(who *harness.Actor) {
				root.Do("USER.SET_PASSWORD", P{"user_id": who.UserID, "password": "another battery"}).OK()
			}, session.ErrEnded},
			"disabled": {func(who *harness.Actor) { root.Do("USER.DISABLE", P{"user_id": who.UserID}).OK() }, session.ErrEnded},
			"deleted":  {func(who *harness.Actor) { root.Do("USER.DELETE", P{"user_id": who.UserID}).OK() }, nil},
		} {
			who := h.SignUp(name + "@example.com")
			options := who.Do("WEBAUTHN.REGISTER_OPTIONS", nil).OK().Data["options"].(P)
			device := h.Authenticator()
			s := service(t, h, func() { c.end(who) })
			caller := access.Caller{Kind: access.Person, User: user.ID(who.UserID), Session: session.ID(who.SessionID)}
			_, err := s.Register(t.Context(), command.Call{Caller: caller}, credential(t, device.Create(options)), "late")
			if err == nil || (c.want != nil && !errors.Is(err, c.want)) || fault.From(err).Code == fault.Internal {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
			h.LoginByPasskey(device).Fails(fault.Auth)
		}
		if got := len(h.Events(domainpasskey.KindRegistered)); got != 0 {
			t.Errorf("%d passkeys were registered", got)
		}
	})
}

// An answer that was right when it came opens nothing for an account that ended, or
// by a passkey that was revoked, before it was judged.
func TestAccountEndsMeanwhile(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		for name, end := range map[string]func(who *harness.Actor){
			"disabled": func(who *harness.Actor) { root.Do("USER.DISABLE", P{"user_id": who.UserID}).OK() },
			"deleted":  func(who *harness.Actor) { root.Do("USER.DELETE", P{"user_id": who.UserID}).OK() },
			"revoked": func(who *harness.Actor) {
				id := who.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]["id"]
				who.Do("WEBAUTHN.REVOKE", P{"credential_id": id}).OK()
			},
		} {
			who := h.SignUp(name + "@example.com")
			device := who.Passkey()
			options := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK().Data["options"].(P)
			before := len(h.Events(session.KindCreated))
			s := service(t, h, func() { end(who) })
			_, err := s.Enter(t.Context(), command.Call{}, passkey.Answer{Credential: credential(t, device.Sign(options))})
			if !errors.Is(err, domainpasskey.ErrRefused) || len(h.Events(session.KindCreated)) != before {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A store that fails is told as that, and takes nothing.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	device := h.SignUp(address).Passkey()
	options := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK().Data["options"].(P)
	ctx, cancel := context.WithCancel(t.Context())
	s := service(t, h, cancel)
	signed := credential(t, device.Sign(options))
	if _, err := s.Enter(ctx, command.Call{}, passkey.Answer{Credential: signed}); fault.From(err).Code != fault.Internal {
		t.Errorf("Enter() = %v", err)
	}
	if _, err := service(t, h, func() {}).Enter(t.Context(), command.Call{}, passkey.Answer{Credential: signed}); err != nil {
		t.Errorf("Enter() after it = %v", err)
	}
}

func credential(t *testing.T, made P) []byte {
	t.Helper()
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
