package registry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// nonsense is no parameter of any command. A call with it changes nothing, and is
// refused for it only after the caller was let in.
const nonsense = "no_such_parameter"

// caller is a column: who calls, and what there is to know of the credential.
type caller struct {
	*harness.Actor

	name       string
	kind       access.Kind
	holds      access.Permissions
	superadmin bool
	// stale sessions proved presence too long ago, or without the factor that there is;
	// unfinished ones have something required left to do.
	stale, unfinished bool
	// readOnly ones change nothing.
	readOnly bool
	// forged credentials are none.
	forged bool
}

// refusal is the code that a caller must get from a command, "" when let in.
// The rule tells what the catalog does not publish.
func (c caller) refusal(r row, rule access.Rule) fault.Code {
	switch {
	case c.forged && rule.Honors():
		return fault.TokenInvalid
	case r.public(): // what is malformed of these is said before anything else
		return ""
	case c.kind == "":
		return fault.Auth
	case !r.takes(c.kind),
		c.readOnly && r.Effect != "none",
		c.unfinished && !rule.TakesUnfinished(),
		r.Access == "superadmin" && !c.superadmin,
		r.permission() != "" && !c.superadmin && !c.holds.Cover(r.permission()),
		r.Scope != "" && !c.kind.InSession() && !c.holds.Cover("*") && !c.holds.Cover(r.Scope):
		return fault.Denied
	case r.Recent && c.stale && c.kind == access.Person:
		return fault.Auth
	}
	return ""
}

// Each command lets in whom its declaration lets in, and nobody else. Who is
// refused is refused alike whatever the parameters are, so that nobody learns of a
// command what is not theirs; who is let in gets as far as the parameters.
func TestAccess(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	all := callers(t, h)
	for _, r := range table(t, h) {
		found, _ := h.Engine.Registry.Find(r.Name)
		for _, c := range slices.Concat(all.fixed, all.differing(r.permission()), all.differing(r.Scope)) {
			want := c.refusal(r, found.Access)
			if got := attempt(c, r, want); got != "" {
				t.Errorf("%s by %s: %s", r.Name, c.name, got)
			}
		}
	}
}

// attempt calls a command with parameters that it does not have and, where it must
// be refused before them, also with those of its example. It returns what is wrong.
func attempt(c caller, r row, want fault.Code) string {
	probe := c.Do(r.Name, P{nonsense: 1}).Failure
	switch {
	case probe == nil:
		return "succeeds with a parameter that it does not have"
	case want == "":
		if probe.Code != fault.Validation || !complains(probe, "/"+nonsense) {
			return fmt.Sprintf("refused with %v, want to be let in", probe)
		}
		return ""
	case probe.Code != want:
		return fmt.Sprintf("refused with %v, want %s", probe, want)
	case want == fault.Auth && c.kind != "" && !strings.Contains(probe.Message, "AUTH.REAUTHENTICATE"):
		return fmt.Sprintf("refused with %v, want AUTH.REAUTHENTICATE named", probe)
	}
	if well := c.Do(r.Name, r.here()).Failure; well == nil || well.Code != probe.Code || well.Message != probe.Message {
		return fmt.Sprintf("the example is answered by %v, other parameters by %v", well, probe)
	}
	return ""
}

// complains reports whether a failure names a parameter, or something in it.
func complains(failure *fault.Error, path string) bool {
	return slices.ContainsFunc(failure.Fields, func(f fault.Field) bool {
		return f.Path == path || strings.HasPrefix(f.Path, path+"/")
	})
}

// columns are the callers.
type columns struct {
	*harness.Service

	root *harness.Actor
	// maker makes keys.
	maker *harness.Actor
	// fixed call every command; those of one permission, the commands that ask for it.
	fixed    []caller
	of       map[string][]caller
	machines int
}

// differing are keys and machines which hold all but a permission, and it alone.
func (c *columns) differing(permission string) []caller {
	if permission == "" {
		return nil
	}
	if c.of[permission] == nil {
		rest := slices.DeleteFunc(everything(), func(p string) bool { return p == permission })
		c.of[permission] = slices.Concat(
			c.holding("all but "+permission, rest), c.holding(permission+" alone", access.Permissions{permission}))
	}
	return c.of[permission]
}

// everything is each permission by its name: no pattern covers those that reach
// across workspaces.
func everything() access.Permissions {
	var names access.Permissions
	for _, p := range access.Catalog() {
		names = append(names, p.Name)
	}
	return names
}

// holding makes an API key and a machine with certain scopes.
func (c *columns) holding(name string, scopes access.Permissions) []caller {
	own := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !access.IsOwn(scope) })
	const keysEach = 100
	if c.machines%keysEach == 0 {
		email := fmt.Sprintf("maker-%d@example.com", c.machines)
		c.maker = promoted(c.Service, c.root, c.SignUp(email), email)
	}
	key := c.maker.Do("API_KEY.CREATE", P{"name": name, "scopes": own}).OK().String("key")
	c.machines++
	machine := c.root.Machine(fmt.Sprintf("machine-%d", c.machines), scopes...)
	return []caller{
		{Actor: c.With(key), name: "a key with " + name, kind: access.Key, holds: own},
		{Actor: machine, name: "a machine with " + name, kind: access.App, holds: own},
	}
}

// weak is a superadmin with a passkey, who logged in by the password alone.
func weak(h *harness.Service, root *harness.Actor) *harness.Actor {
	const email = "weak@example.com"
	made := h.SignUp(email)
	made.Passkey()
	return promoted(h, root, made, email)
}

// promoted makes a superadmin of an account, and logs them in anew.
func promoted(h *harness.Service, root, made *harness.Actor, email string) *harness.Actor {
	root.Do("USER.SET_SUPERADMIN", P{"user_id": made.UserID, "is_superadmin": true}).OK()
	return h.Login(email, harness.Password)
}

// callers makes a credential of each sort.
func callers(t *testing.T, h *harness.Service) *columns {
	t.Helper()
	stale := h.Superadmin()
	h.Clock.Advance(access.RecentFor + time.Minute)
	stale.AccessToken = h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": stale.RefreshToken}).OK().String("access_token")
	root, owner := h.Superadmin(), h.SignUp("owner@example.com")
	unlimited(root)
	login := func(email string, more P) *harness.Reply {
		return h.Anonymous().Do("AUTH.LOGIN", changed(P{"email": email, "password": harness.Password}, more)).OK()
	}
	root.Do("USER.CREATE", P{"email": "member@example.com", "password": harness.Password, "org_id": owner.OrgID, "role": role.Member}).OK()
	member := h.With(login("member@example.com", P{"org_id": owner.OrgID}).String("access_token"))
	late := root.Do("USER.CREATE", P{"email": "late@example.com", "password": harness.Password}).OK()
	root.Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": late.String("user.id"), "actions": []string{"change_password"}}).OK()
	unfinished := h.With(login("late@example.com", nil).String("challenge_token"))
	all := access.Permissions{"*"}
	acts := func(readOnly bool) *harness.Actor {
		begun := h.Superadmin().Do("IMPERSONATION.START", P{"user_id": owner.UserID, "reason": "a look", "ttl_minutes": 60, "read_only": readOnly}).OK()
		return h.With(begun.String("access_token"))
	}
	c := &columns{Service: h, root: root, of: map[string][]caller{}}
	c.fixed = slices.Concat([]caller{
		{Actor: h.Anonymous(), name: "nobody"},
		{Actor: h.With("nonsense"), name: "a forged credential", forged: true},
		{Actor: root, name: "a superadmin", kind: access.Person, superadmin: true},
		{Actor: stale, name: "a superadmin without a recent login", kind: access.Person, superadmin: true, stale: true},
		{Actor: weak(h, root), name: "a superadmin without the second factor", kind: access.Person, superadmin: true, stale: true},
		{Actor: owner, name: "an owner", kind: access.Person, holds: all},
		{Actor: member, name: "a member", kind: access.Person, holds: role.Plain().Granted([]string{role.Member})},
		{Actor: acts(false), name: "somebody who acts as an owner", kind: access.Impersonated, holds: all},
		{Actor: acts(true), name: "somebody who looks as an owner", kind: access.Impersonated, holds: all, readOnly: true},
		{Actor: unfinished, name: "somebody unfinished", kind: access.Person, holds: all, unfinished: true},
	}, c.holding("everything", everything()), c.holding("every permission", all),
		c.holding("nothing of this service", access.Permissions{"openid"}))
	for name, scopes := range map[string]access.Permissions{"everything": everything(), "openid alone": nil} {
		// Those that reach across workspaces are a superadmin's, and no client is one.
		own := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !access.IsOwn(scope) || access.IsInstance(scope) })
		c.fixed = append(c.fixed, caller{
			Actor: acting(h, root, scopes), name: "a client that acts for a superadmin with " + name, kind: access.Delegated, holds: own,
		})
	}
	return c
}

// acting is a client that acts for somebody, with scopes and openid.
func acting(h *harness.Service, person *harness.Actor, scopes access.Permissions) *harness.Actor {
	slug := fmt.Sprintf("client-%d", len(scopes))
	app := person.Do("APP.REGISTER", P{"name": slug, "slug": slug, "type": "web", "redirect_urls": []string{wikiURL}, "scopes": append(access.Permissions{"openid"}, scopes...)}).OK()
	asked := person.Do("OAUTH.AUTHORIZE", P{
		"client_id": slug, "redirect_uri": wikiURL, "response_type": "code", "scope": strings.Join(append(access.Permissions{"openid"}, scopes...), " "),
		"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
	}).OK()
	decided := person.Do("OAUTH.CONSENT_DECIDE", P{"request_id": asked.String("request_id"), "approve": true}).OK()
	_, code, _ := strings.Cut(decided.String("redirect_to"), "code=")
	code, _, _ = strings.Cut(code, "&")
	return h.With(h.Anonymous().Do("OAUTH.TOKEN", P{
		"grant_type": "authorization_code", "client_id": slug, "client_secret": app.String("api_key"), "code": code, "redirect_uri": wikiURL,
		"code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
	}).OK().String("access_token"))
}

// unscoped are the commands that write for API keys and M2M tokens which only read: they use
// up the proof that they are shown, keep the public keys of an app, which let nobody in, and
// collect what may be read anyway.
func unscoped() []string {
	return []string{"AUDIT.EXPORT", "DPOP.REGISTER", "DPOP.REVOKE", "DPOP.VERIFY"}
}

// Who was given an API key or a token for reading changes nothing with it, neither of
// a workspace nor of the person or app behind it.
func TestReadingScopesChangeNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	unlimited(root)
	c := &columns{Service: h, root: root}
	reading := slices.Concat(c.holding("what reads", readingScopes()), c.holding("*:read", access.Permissions{"*:read"}))
	for _, r := range table(t, h) {
		if r.public() || r.Effect == "none" || slices.Contains(unscoped(), r.Name) {
			continue
		}
		for _, who := range reading {
			if failure := who.Do(r.Name, r.here()).Failure; failure == nil || failure.Code != fault.Denied {
				t.Errorf("%s by %s: %v, want PERMISSION_DENIED", r.Name, who.name, failure)
			}
		}
	}
}

// readingScopes are the permissions that let somebody read.
func readingScopes() access.Permissions {
	return slices.DeleteFunc(everything(), func(name string) bool { return !strings.HasSuffix(name, ":read") })
}
