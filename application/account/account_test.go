package account_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/password"
	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	domainpassword "gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

func passwords(t *testing.T) account.Passwords {
	t.Helper()
	hasher, err := password.New(password.Settings{Memory: 1024, Time: 1, Threads: 1}, system.Random{})
	if err != nil {
		t.Fatal(err)
	}
	return account.Passwords{Hasher: hasher, Strength: password.Strength{}}
}

// A password is judged and hashed in its normal form, and never quoted.
func TestAccept(t *testing.T) {
	t.Parallel()
	p, owner := passwords(t), domainpassword.Owner{Email: "zoe@example.com", Name: "Zoe Quinnley"}
	hash, err := p.Accept(t.Context(), "/password", secret.New("bru\u0302le\u0301e au lait"), owner, policy.Defaults().Password)
	if err != nil {
		t.Fatal(err)
	}
	if verdict, err := p.Hasher.Verify(t.Context(), hash, secret.New("br\u00fbl\u00e9e au lait")); err != nil || !verdict.Match {
		t.Errorf("the other spelling = %+v, %v", verdict, err)
	}
	for plain, why := range map[string]string{
		"zoe quinnley": "is your own", "qwertyuiop": "most common", "zq5": "too short", strings.Repeat("zq5 ", 65): "too long",
	} {
		_, err := p.Accept(t.Context(), "/new_password", secret.New(plain), owner, policy.Defaults().Password)
		refused := fault.From(err)
		if refused.Code != fault.Validation || len(refused.Fields) != 1 || refused.Fields[0].Path != "/new_password" || !strings.Contains(refused.Message, why) {
			t.Errorf("%.20q: %v, want %q", plain, err, why)
		}
		if strings.Contains(refused.Message, plain) {
			t.Errorf("the password is quoted: %s", refused.Message)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	busy := account.Passwords{Hasher: failing{p.Hasher}, Strength: p.Strength}
	if _, err := busy.Accept(gone, "/password", secret.New("a fine battery"), owner, policy.Defaults().Password); !errors.Is(err, context.Canceled) {
		t.Errorf("Accept() = %v, want what the hasher says", err)
	}
}

type failing struct{ crypt.Passwords }

func (failing) Hash(ctx context.Context, _ secret.String) (string, error) { return "", ctx.Err() }

func TestStricterPoliciesJudge(t *testing.T) {
	t.Parallel()
	_, fine := passwords(t).Judge(secret.New("a fine battery"), domainpassword.Owner{}, policy.Password{MinLength: 8})
	strength, reasons := passwords(t).Judge(secret.New("a fine battery"), domainpassword.Owner{}, policy.Password{MinLength: 20, MinScore: 5})
	if len(fine) != 0 || !slices.Equal(reasons, []string{"too short", "too easy to guess"}) || strength.Score > 4 {
		t.Errorf("reasons = %q and %q", fine, reasons)
	}
}

func repos(h *harness.Service) outbound.Unit[account.Repos] {
	return sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) account.Repos {
		return account.Repos{Users: people.Users(tx), Credentials: signin.Credentials(tx), Workspaces: workspaces.Workspaces(tx)}
	})
}

func create(t *testing.T, h *harness.Service, n account.Draft) (account.NewAccount, error) {
	t.Helper()
	var made account.NewAccount
	err := repos(h).Do(t.Context(), func(tx account.Repos) (err error) {
		made, err = account.Create(t.Context(), tx, system.IDs{}, n, h.Clock.Now())
		return err
	})
	return made, err
}

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestCreate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	before := len(h.Events(""))
	made, err := create(t, h, account.Draft{
		Email: address(t, "Zoe@Example.com"), Verified: true, DisplayName: "Zoe", ExternalID: "x|1", Metadata: map[string]any{"plan": "pro"}, Superadmin: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	err = repos(h).Do(t.Context(), func(tx account.Repos) error {
		u, err := tx.Users.ByExternalID(t.Context(), "x|1")
		if err != nil {
			return err
		}
		c, err := tx.Credentials.ByUser(t.Context(), u.ID())
		if err != nil {
			return err
		}
		m, err := tx.Workspaces.Member(t.Context(), made.Workspace.ID(), u.ID())
		if err != nil {
			return err
		}
		s := u.Snapshot()
		if s.ID != made.User.ID() || s.Email.String() != "Zoe@example.com" || !s.EmailVerified || !s.Superadmin || s.DisplayName != "Zoe" || s.Metadata["plan"] != "pro" || !s.LastLoginAt.IsZero() {
			t.Errorf("account = %+v", s)
		}
		if c.Hash() != "" || !slices.Equal(m.Roles(h.Clock.Now()), []string{"owner"}) || !m.HoldsForGood("owner") {
			t.Errorf("hash %q, roles %q", c.Hash(), m.Roles(h.Clock.Now()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []event.Kind
	for _, e := range h.Events("")[:len(h.Events(""))-before] {
		kinds = append(kinds, e.Kind)
		if text := string(e.Data); strings.Contains(text, "Zoe") || strings.Contains(text, "pro") || strings.Contains(text, "x|1") {
			t.Errorf("%s holds personal data: %s", e.Kind, text)
		}
	}
	if !slices.Contains(kinds, user.KindCreated) || !slices.Contains(kinds, workspace.KindCreated) {
		t.Errorf("events = %q", kinds)
	}
	if name := made.Workspace.Snapshot().Name; name == "" || strings.Contains(name, "Zoe") {
		t.Errorf("the workspace, whose name is kept in clear, is called %q", name)
	}
}

// What is taken is refused, and leaves nothing half done.
func TestCreateWhatIsTaken(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	if _, err := create(t, h, account.Draft{Email: address(t, "zoe@example.com"), ExternalID: "x|1"}); err != nil {
		t.Fatal(err)
	}
	before := len(h.Events(""))
	for want, n := range map[error]account.Draft{
		user.ErrEmailTaken:    {Email: address(t, "ZOE@example.com")},
		user.ErrExternalTaken: {Email: address(t, "other@example.com"), ExternalID: "x|1"},
	} {
		if _, err := create(t, h, n); !errors.Is(err, want) {
			t.Errorf("Create() = %v, want %v", err, want)
		}
	}
	huge := account.Draft{Email: address(t, "other@example.com"), Metadata: map[string]any{"x": strings.Repeat("x", 20_000)}}
	if _, err := create(t, h, huge); fault.From(err).Code != fault.Validation {
		t.Errorf("Create() with huge metadata = %v", err)
	}
	if after := len(h.Events("")); after != before {
		t.Errorf("%d events of refusals", after-before)
	}
	if _, err := create(t, h, account.Draft{Email: address(t, "other@example.com")}); err != nil {
		t.Errorf("Create() afterwards = %v", err)
	}
}

// The strictest of the instance's policies and those of all workspaces holds.
func TestPolicies(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	h.Superadmin().Do("POLICY.SET", harness.P{"kind": "lockout", "values": harness.P{"max_failures": 8}}).OK()
	alice.Do("POLICY.SET", harness.P{"org_id": alice.OrgID, "kind": "lockout", "values": harness.P{"max_failures": 4}}).OK()
	alice.Do("POLICY.SET", harness.P{"org_id": alice.OrgID, "kind": "password", "values": harness.P{"min_length": 12}}).OK()
	p := account.Policies{Instance: h.Engine.Instance, Workspaces: opsstore.WorkspacePolicies(h.Store)}
	for name, c := range map[string]struct {
		read           func() (policy.Set, error)
		failures, long int
	}{
		"member":          {func() (policy.Set, error) { return p.OfUser(t.Context(), user.ID(alice.UserID)) }, 4, 12},
		"workspace":       {func() (policy.Set, error) { return p.OfOrg(t.Context(), workspace.ID(alice.OrgID)) }, 4, 12},
		"somebody else":   {func() (policy.Set, error) { return p.OfUser(t.Context(), user.ID(bob.UserID)) }, 8, 8},
		"other workspace": {func() (policy.Set, error) { return p.OfOrg(t.Context(), workspace.ID(bob.OrgID)) }, 8, 8},
		"nobody known":    {func() (policy.Set, error) { return p.OfUser(t.Context(), "") }, 8, 8},
	} {
		if set, err := c.read(); err != nil || set.Lockout.MaxFailures != c.failures || set.Password.MinLength != c.long {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
	h.Superadmin().Do("POLICY.SET", harness.P{"kind": "lockout", "values": harness.P{"max_failures": 3}}).OK()
	h.Superadmin().Do("AUTH.WHOAMI", nil).OK()
	if set, err := p.OfUser(t.Context(), user.ID(alice.UserID)); err != nil || set.Lockout.MaxFailures != 3 || set.Password.MinLength != 12 {
		t.Errorf("under a stricter instance: %+v, %v", set, err)
	}
	broken := account.Policies{Instance: h.Engine.Instance, Workspaces: down{}}
	if _, err := broken.OfUser(t.Context(), user.ID(alice.UserID)); !errors.Is(err, errDown) {
		t.Errorf("OfUser() = %v", err)
	}
	if _, err := broken.OfOrg(t.Context(), workspace.ID(alice.OrgID)); !errors.Is(err, errDown) {
		t.Errorf("OfOrg() = %v", err)
	}
}

var errDown = errors.New("the store is down")

type down struct{}

func (down) OfUser(context.Context, user.ID) ([]ops.WorkspacePolicy, error) {
	return nil, errDown
}

func (down) OfOrg(context.Context, workspace.ID) (map[policy.Kind]ops.PolicyValues, error) {
	return nil, errDown
}
