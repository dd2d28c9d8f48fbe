package execution_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"gatehouse.internal/adapters/sqlstore"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

const (
	wrongKey   = "the API key is invalid, revoked or expired"
	wrongPlace = "the API key cannot be used from this IP address"
)

func TestHandlersSeeTheCallingKey(t *testing.T) {
	t.Parallel()
	tell, heard := recordingCall(reads("LAB.TELL", access.Anybody()))
	l := newLab(t, tell)
	alice := l.SignUp("alice@example.com")
	ends := l.Clock.Now().Add(time.Hour)
	key := l.apiKey(alice, func(s *apikey.Snapshot) {
		s.Scopes, s.ExpiresAt = []string{"apps:read", "users:*", "reports:read"}, ends
	})
	l.do(ask{command: "LAB.TELL", authorization: key.bearer()}).ok()
	c := heard.Caller
	if c.Kind != access.Key || c.User.String() != alice.UserID || c.APIKey != key.ID || c.Org.String() != alice.OrgID ||
		c.Session != "" || c.App != "" || c.Client != "" || c.Superadmin || !c.AuthTime.IsZero() || c.AMR != nil {
		t.Errorf("caller = %+v", c)
	}
	if !slices.Equal(c.Roles, []string{"owner"}) || !slices.Equal(c.Scopes, key.Scopes) || !c.ExpiresAt.Equal(ends) ||
		c.Profile.Email.String() != "alice@example.com" || !c.May("apps:read") || !c.May("users:write") || c.May("apps:write") || c.May("users:manage") {
		t.Errorf("caller = %+v", c)
	}
	endless := l.apiKey(alice, func(s *apikey.Snapshot) { s.Scopes = nil })
	l.do(ask{command: "LAB.TELL", authorization: "bearer " + endless.text}).ok()
	if c = heard.Caller; !c.ExpiresAt.IsZero() || len(c.Permissions) > 0 || c.May("users:read") {
		t.Errorf("caller of a key without scopes and end = %+v", c)
	}
}

// A key that is wrong, has ended or is not its user's any more says just one thing,
// and nothing runs.
func TestKeysThatDoNotHold(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(func(context.Context, command.Call, params) (result, error) { panic("it ran") }), reads("LAB.READ", access.User()))
	root, alice := l.Superadmin(), l.SignUp("alice@example.com")
	now := l.Clock.Now()
	bob, carol, dave := l.SignUp("bob@example.com"), l.SignUp("carol@example.com"), l.SignUp("dave@example.com")
	unheld := string(keytext.New(keytext.APIKey, &counting{}))
	good := l.apiKey(alice, nil)
	keys := map[string]string{
		"unknown": unheld, "truncated": good.text[:len(good.text)-1], "extended": good.text + "0", "with a wrong letter": good.text[:20] + flip(good.text[20]) + good.text[21:],
		"the prefix": "ak_live_", "the hint": good.Prefix, "its digest": "ak_live_" + keytext.Digest(good.text),
		"revoked":         l.apiKey(alice, func(s *apikey.Snapshot) { s.RevokedAt, s.EndReason = now, apikey.ByUser }).text,
		"revoked to come": l.apiKey(alice, func(s *apikey.Snapshot) { s.RevokedAt = now.Add(time.Hour) }).text,
		"expired":         l.apiKey(alice, func(s *apikey.Snapshot) { s.ExpiresAt = now }).text,
		"long expired":    l.apiKey(alice, func(s *apikey.Snapshot) { s.ExpiresAt = now.Add(-time.Hour) }).text,
		"replaced":        l.apiKey(alice, func(s *apikey.Snapshot) { s.Secrets[0].ExpiresAt = now }).text,
		"of the disabled": l.apiKey(bob, nil).text, "of the deleted": l.apiKey(carol, nil).text,
		"of who left": l.apiKey(dave, nil).text,
	}
	for _, name := range []string{"of the disabled", "of the deleted", "of who left"} {
		l.do(ask{command: "LAB.READ", authorization: "Bearer " + keys[name]}).ok()
	}
	root.Do("USER.DISABLE", harness.P{"user_id": bob.UserID}).OK()
	root.Do("USER.DELETE", harness.P{"user_id": carol.UserID}).OK()
	l.execute(`DELETE FROM members WHERE user_id = $1`, dave.UserID)
	for name, text := range keys {
		said := l.do(ask{authorization: "Bearer " + text}).fails(fault.Auth).Failure.Message
		if said != wrongKey {
			t.Errorf("%s: said %q", name, said)
		}
	}
	l.do(ask{command: "LAB.READ", authorization: good.bearer()}).ok()
	if logged := l.logs.lines(t); len(logged) > 0 {
		t.Errorf("logged %v", logged)
	}
}

// Keys that somebody made up leave nothing behind but one counter of the address.
func TestMadeUpKeysAreNotCounted(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()))
	var file string
	if err := l.Store.Database().Read.Get(&file, "SELECT file FROM pragma_database_list WHERE name = 'main'"); err != nil {
		t.Fatal(err)
	}
	beside, err := sqlx.Open("sqlite", file+".counters")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = beside.Close() }()
	counters := func() (n int) {
		if err := beside.Get(&n, "SELECT COUNT(*) FROM rate_limits"); err != nil {
			t.Fatal(err)
		}
		return n
	}
	wrong := func() {
		l.do(ask{command: "LAB.READ", authorization: "Bearer " + string(keytext.New(keytext.APIKey, system.Random{}))}).fails(fault.Auth)
	}
	wrong()
	before := counters()
	for range 5 {
		wrong()
	}
	if after := counters(); after != before {
		t.Errorf("%d counters more", after-before)
	}
}

// counting is a source of bytes that are known.
type counting struct{ at byte }

func (c *counting) Bytes(n int) []byte {
	drawn := make([]byte, n)
	for i := range drawn {
		c.at = (c.at + 1) % 200
		drawn[i] = c.at
	}
	return drawn
}

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// The end of a key is exact, and an account is disabled until its time.
func TestKeysEndInTime(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()))
	root, alice := l.Superadmin(), l.SignUp("alice@example.com")
	key := l.apiKey(alice, func(s *apikey.Snapshot) { s.ExpiresAt = l.Clock.Now().Add(10 * time.Minute) })
	replaced := l.apiKey(alice, func(s *apikey.Snapshot) {
		s.ExpiresAt, s.Secrets[0].ExpiresAt = l.Clock.Now().Add(time.Hour), l.Clock.Now().Add(10*time.Minute)
	})
	l.Clock.Advance(10*time.Minute - time.Microsecond)
	for _, k := range []heldKey{key, replaced} {
		l.do(ask{command: "LAB.READ", authorization: k.bearer()}).ok()
	}
	l.Clock.Advance(time.Microsecond)
	for _, k := range []heldKey{key, replaced} {
		l.do(ask{command: "LAB.READ", authorization: k.bearer()}).fails(fault.Auth)
	}
	endless := l.apiKey(alice, nil)
	until := l.Clock.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
	root.Do("USER.DISABLE", harness.P{"user_id": alice.UserID, "until": until}).OK()
	l.do(ask{command: "LAB.READ", authorization: endless.bearer()}).fails(fault.Auth)
	endless = l.apiKey(alice, nil) // as another replica may make it at the same moment
	l.do(ask{command: "LAB.READ", authorization: endless.bearer()}).fails(fault.Auth)
	l.Clock.Advance(time.Hour)
	l.do(ask{command: "LAB.READ", authorization: endless.bearer()}).ok()
	l.Clock.Advance(10 * 365 * 24 * time.Hour)
	l.do(ask{command: "LAB.READ", authorization: endless.bearer()}).ok()
}

func TestKeysFromForeignAddresses(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()))
	key := l.apiKey(l.SignUp("alice@example.com"), func(s *apikey.Snapshot) {
		s.AllowedIPs = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/48")}
	})
	for ip, allowed := range map[string]bool{
		"203.0.113.255": true, "::ffff:203.0.113.1": true, "2001:db8::9": true,
		"192.0.2.1": false, "203.0.114.0": false, "2001:db8:1::1": false, "::ffff:192.0.2.1": false,
	} {
		said := l.do(ask{command: "LAB.READ", authorization: key.bearer(), ip: ip})
		if allowed {
			said.ok()
		} else if got := said.fails(fault.Auth).Failure.Message; got != wrongPlace {
			t.Errorf("from %s: %q", ip, got)
		}
	}
	// Where a key may be used from is told to nobody who has but an ended one.
	ended := l.apiKey(l.Login("alice@example.com", harness.Password), func(s *apikey.Snapshot) {
		s.AllowedIPs, s.ExpiresAt = key.AllowedIPs, l.Clock.Now()
	})
	if got := l.do(ask{command: "LAB.READ", authorization: ended.bearer()}).fails(fault.Auth).Failure.Message; got != wrongKey {
		t.Errorf("an ended key from elsewhere: %q", got)
	}
}

// A key has the share of its user's rights that they hold at the moment.
func TestKeysFollowTheirUser(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()), reads("LAB.MEMBERS", access.Holding("members:read")), reads("LAB.APPS", access.Holding("apps:write")))
	alice := l.SignUp("alice@example.com")
	all := l.apiKey(alice, nil)
	members := l.apiKey(alice, func(s *apikey.Snapshot) { s.Scopes = []string{"members:read"} })
	try := func(k heldKey, name string, want fault.Code) {
		t.Helper()
		if said := l.do(ask{command: name, authorization: k.bearer()}); want == "" {
			said.ok()
		} else {
			said.fails(want)
		}
	}
	try(all, "LAB.MEMBERS", "")
	try(all, "LAB.APPS", "")
	try(members, "LAB.MEMBERS", "")
	try(members, "LAB.APPS", fault.Denied)
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) workspaces.Workspaces { return workspacesstore.Workspaces(tx) })
	err := unit.Do(t.Context(), func(tx workspaces.Workspaces) error {
		m, err := tx.Member(t.Context(), workspace.ID(alice.OrgID), user.ID(alice.UserID))
		if err != nil {
			return err
		}
		m.Assign(workspace.Builtin("member"), l.Clock.Now().Add(time.Minute))
		m.Unassign(workspace.Builtin("owner"))
		return tx.SaveMember(t.Context(), m)
	})
	if err != nil {
		t.Fatal(err)
	}
	try(all, "LAB.MEMBERS", "")
	try(all, "LAB.APPS", fault.Denied)
	l.Clock.Advance(time.Minute)
	try(all, "LAB.MEMBERS", fault.Denied)
	try(members, "LAB.MEMBERS", fault.Denied)
	try(all, "LAB.READ", "") // own things need no permission
}

// A superadmin's key has what its scopes name, of everything, but it is none.
func TestKeysOfSuperadmins(t *testing.T) {
	t.Parallel()
	tell, heard := recordingCall(reads("LAB.TELL", access.User()))
	l := newLab(t, tell, reads("LAB.ADMIN", access.Superadmin()), reads("LAB.MANAGE", access.Holding("users:manage")), reads("LAB.APPS", access.Holding("apps:write")))
	root := l.Superadmin()
	all := l.apiKey(root, nil)
	named := l.apiKey(root, func(s *apikey.Snapshot) { s.Scopes = []string{"users:manage"} })
	for _, k := range []heldKey{all, named} {
		l.do(ask{command: "LAB.TELL", authorization: k.bearer()}).ok()
		if heard.Caller.Superadmin {
			t.Error("a key is a superadmin")
		}
		if said := l.do(ask{command: "LAB.ADMIN", authorization: k.bearer()}).fails(fault.Denied).Failure; !errors.Is(said, access.ErrSuperadmin) {
			t.Errorf("said %v", said)
		}
	}
	l.do(ask{command: "LAB.MANAGE", authorization: all.bearer()}).fails(fault.Denied) // no pattern covers it
	l.do(ask{command: "LAB.APPS", authorization: all.bearer()}).ok()
	l.do(ask{command: "LAB.MANAGE", authorization: named.bearer()}).ok()
	l.do(ask{command: "LAB.APPS", authorization: named.bearer()}).fails(fault.Denied)
	l.do(ask{command: "LAB.ADMIN", who: root}).ok()
}

// touches counts the uses that are noted, and may fail.
type touches struct {
	of   []string
	fail error
}

func (n *touches) Touch(_ context.Context, subject string) error {
	n.of = append(n.of, subject)
	return n.fail
}

// The use of a key is noted once a minute, also where the call is refused for
// another reason; that it cannot be noted is no reason to refuse.
func TestUsesOfKeys(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()), reads("LAB.ADMIN", access.Superadmin()), reads("LAB.HOLD", access.Holding("users:manage")))
	alice := l.SignUp("alice@example.com")
	key, other := l.apiKey(alice, nil), l.apiKey(alice, nil)
	used := func(k heldKey) (at string) {
		t.Helper()
		l.do(ask{command: "LAB.READ", authorization: k.bearer()}).ok()
		err := l.Store.Database().Read.GetContext(t.Context(), &at, `SELECT COALESCE((SELECT CAST(used_at AS TEXT) FROM last_uses WHERE subject = $1), '')`, k.ID.String())
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := used(key)
	l.Clock.Advance(59 * time.Second)
	if again := used(key); first == "" || again != first {
		t.Errorf("used at %q, and a moment later at %q", first, again)
	}
	l.Clock.Advance(time.Second)
	if later := used(key); later == first {
		t.Errorf("used at %q a minute later still", later)
	}

	noted := &touches{fail: errors.New("the disk is full")}
	l.engine.LastUses = noted
	l.do(ask{command: "LAB.READ", authorization: other.bearer()}).ok()
	l.do(ask{command: "LAB.HOLD", authorization: other.bearer()}).fails(fault.Denied)
	l.do(ask{command: "LAB.ADMIN", authorization: other.bearer()}).fails(fault.Denied)
	l.do(ask{command: "LAB.READ", authorization: other.bearer(), params: bad}).fails(fault.Validation)
	l.do(ask{command: "LAB.READ", who: alice}).ok()
	l.do(ask{command: "LAB.READ", authorization: "Bearer " + key.text[:len(key.text)-1]}).fails(fault.Auth)
	if want := slices.Repeat([]string{other.ID.String()}, 4); !slices.Equal(noted.of, want) {
		t.Errorf("noted %q, want %q", noted.of, want)
	}
	if logged := l.logs.lines(t); len(logged) != 4 || logged[0]["level"] != "WARN" {
		t.Errorf("logged %v", logged)
	}
}

// Whatever ends a key is felt by the next request on the other replica.
func TestKeyRevocationTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here := over(t, harness.On(t, dsn))
	there := over(t, harness.On(t, dsn), reads("LAB.READ", access.User()))
	alice := here.SignUp("alice@example.com")
	for name, end := range map[string]func(k heldKey){
		"revoked": func(k heldKey) {
			here.execute(`UPDATE api_keys SET revoked_at = created_at WHERE id = $1`, k.ID.String())
		},
		"deleted": func(k heldKey) { here.execute(`DELETE FROM api_keys WHERE id = $1`, k.ID.String()) },
		"rotated": func(k heldKey) { here.execute(`DELETE FROM api_key_secrets WHERE key_id = $1`, k.ID.String()) },
	} {
		k := here.apiKey(alice, nil)
		read := ask{command: "LAB.READ", authorization: k.bearer()}
		there.do(read).ok()
		end(k)
		if got := there.do(read).fails(fault.Auth).Failure.Message; got != wrongKey {
			t.Errorf("%s: %q", name, got)
		}
	}
}
