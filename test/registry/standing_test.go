package registry_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// A credential that ends after its call was admitted stores nothing by it: not with the
// call, its dry run, or under an Idempotency-Key. The call is answered as the next one by
// that credential is; what has nothing to store, or reaches outside, may do that.
func TestStanding(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		google := upstream.StartAll(t)
		h := harness.On(t, database, append(upstream.Environment(google), "SOCIAL_REDIRECT_URLS="+page)...)
		all := &standings{Service: h, trap: &trap{Admission: h.Engine.Admission}, judged: map[access.Kind]int{}, t: t}
		for _, c := range prepare(t, h, google[upstream.Google]) {
			if c.Effect != "none" && !c.public() {
				all.add(c)
			}
		}
		h.Engine.Admission = all.trap
		before := tables(t, h)
		for _, one := range all.of {
			all.judge(one)
		}
		after := tables(t, h)
		for _, line := range slices.Concat(difference(before, after), difference(after, before)) {
			if !passing.MatchString(line) {
				t.Errorf("a row is other after what ended credentials called: %.400s", line)
			}
		}
		for _, kind := range []access.Kind{access.Person, access.Key, access.App} {
			if all.judged[kind] == 0 {
				t.Errorf("nothing could be called by %s", kind)
			}
		}
	})
}

// Who takes an account over by a mailed reset is alone in it afterwards: what the stranger
// who made it does meanwhile, by another replica, is refused or ended.
func TestClaimRace(t *testing.T) {
	t.Parallel()
	const rounds, calls = 50, 4
	database := harness.Postgres(t)
	one, other := harness.On(t, database), harness.On(t, database)
	unlimited(one.Superadmin())
	made, refused := 0, 0
	for round := range rounds {
		email := fmt.Sprintf("victim%d@example.com", round)
		stranger := one.SignUp(email)
		other.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": email}).OK()
		reset := P{"token": other.LastMail(email).Token(), "password": "the owner's own battery"}
		replies := harness.Together(calls+1, func(i int) *harness.Reply {
			if i == calls {
				return other.Anonymous().Do("AUTH.RESET_PASSWORD", reset)
			}
			return stranger.Do("API_KEY.CREATE", P{"name": "mine", "scopes": []string{"*"}})
		})
		replies[calls].OK()
		for _, r := range replies[:calls] {
			if r.Failure != nil {
				refused++
				continue
			}
			made++
			if by := one.With(r.String("key")).Do("AUTH.WHOAMI", nil); by.Failure == nil {
				t.Errorf("round %d: a key of the stranger works", round)
			}
		}
	}
	t.Logf("%d keys were made, %d refused", made, refused)
}

// passing are rows that say nothing: the uses of keys, and claims of an Idempotency-Key that
// were given back, without body and answer.
var passing = regexp.MustCompile(`^last_uses: |^idempotency: \[\S+   `)

// trap ends what a call presents once the call was admitted.
type trap struct {
	outbound.Admission

	spring func()
}

// Admit admits the call before it ends the credential.
func (t *trap) Admit(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	answer, err := t.Admission.Admit(ctx, ask)
	if t.spring != nil && (ask.Session != "" || ask.Key != "" || ask.Token != "") {
		t.spring()
	}
	return answer, err
}

// standing is a call by a credential, and the column and row that end it.
type standing struct {
	*call

	kind              access.Kind
	table, column, id string
	ended, live       any
}

type standings struct {
	*harness.Service

	trap *trap
	of   []standing
	// judged counts the calls that would have succeeded.
	judged map[access.Kind]int
	t      *testing.T
}

// add adds the call by each kind of caller that the command takes.
func (s *standings) add(c *call) {
	s.t.Helper()
	made := s.Clock.Now()
	if c.takes(access.Person) {
		s.of = append(s.of, standing{call: c, kind: access.Person, table: "sessions", column: "ended_at", id: c.owner.SessionID, ended: made})
	}
	if c.takes(access.Key) {
		scopes := slices.DeleteFunc(everything(), func(scope string) bool { return !access.IsOwn(scope) })
		key := c.owner.Do("API_KEY.CREATE", P{"name": "acting", "scopes": scopes}).OK()
		by := *c
		by.who = c.With(key.String("key"))
		s.of = append(s.of, standing{call: &by, kind: access.Key, table: "api_keys", column: "revoked_at", id: key.String("api_key.id"), ended: made})
	}
	if c.takes(access.App) && c.permission() != "" {
		by, slug := *c, "acting-for-"+c.name()
		by.who = c.owner.Machine(slug, c.permission())
		of := c.owner.Do("APP.LIST", P{"query": slug}).List("items")[0]["id"]
		s.of = append(s.of, standing{call: &by, kind: access.App, table: "apps", column: "enabled", id: fmt.Sprint(of), ended: false, live: true})
	}
}

// judge calls by a credential that ends meanwhile. Where the call would be refused in any
// case, it says nothing: a key or a machine may be the wrong one for what it names.
func (s *standings) judge(one standing) {
	s.t.Helper()
	stores := false
	if one.Effect == "store" {
		rehearsed := one.who.DryRun().Do(one.Name, one.params)
		if rehearsed.Failure != nil && one.kind == access.Person {
			s.t.Errorf("%s in a dry run: %v; if its example cannot succeed, it needs a hook", one.Name, rehearsed.Failure)
		}
		if rehearsed.Failure != nil {
			return
		}
		stores = len(rehearsed.Strings("dry_run.events")) > 0
	}
	if stores {
		s.judged[one.kind]++
	}
	s.set(one, one.ended)
	want := one.who.Do(one.Name, one.params).Failure
	s.set(one, one.live)
	s.trap.spring = func() { s.set(one, one.ended) }
	defer func() { s.trap.spring = nil }()
	ways := map[string]*harness.Actor{"": one.who, " under a key": one.who.Idempotent("standing"), " in a dry run": one.who.DryRun()}
	if one.Effect != "store" {
		delete(ways, " in a dry run")
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		got := ways[way].Do(one.Name, one.params)
		s.set(one, one.live)
		done := got.Failure == nil && !stores
		if !done && (want == nil || want.Code != fault.Auth || got.Failure == nil || !got.Failure.Is(want)) {
			s.t.Errorf("%s by %s that ends meanwhile%s: %s, want %v", one.Name, one.kind, way, written(got), want)
		}
	}
}

// set writes what a credential stands by.
func (s *standings) set(one standing, value any) {
	s.t.Helper()
	database := s.Store.Database()
	if at, timed := value.(interface{ UnixMicro() int64 }); timed && database.Write.DriverName() != "postgres" {
		value = at.UnixMicro()
	}
	statement := database.Dialect.Placeholders("UPDATE " + one.table + " SET " + one.column + " = ? WHERE id = ?")
	if _, err := database.Write.ExecContext(s.t.Context(), statement, value, one.id); err != nil {
		s.t.Fatal(err)
	}
}
