package registry_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// call is a call of one command that succeeds.
type call struct {
	row
	*setup

	who    *harness.Actor
	params P
	// announced are the events that the dry run listed, in order.
	announced []string
	// shown is what it answered.
	shown P
	// signed reports whether the real call returned something that we signed.
	signed bool
}

// What a command changes is what it declares to change. A dry run of what writes to
// the store alone succeeds, lists events, shows no secret and nothing that we signed, and leaves every table as
// it was; the call itself stores these events. Under an Idempotency-Key it has its
// effect once, and is answered alike the second time. What reads, or reaches outside,
// takes no dry run; who has no credential sends no key. What webhooks are told of all that
// conforms to the published schemas, and changes of configuration are kept.
func TestEffects(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		google := upstream.StartAll(t)
		h := harness.On(t, database, append(upstream.Environment(google), "SOCIAL_REDIRECT_URLS="+page)...)
		calls := prepare(t, h, google[upstream.Google])
		before, read := tables(t, h), answers(calls)
		for _, c := range calls {
			c.dryRun()
		}
		after := tables(t, h)
		for name, text := range answers(calls) {
			if text != read[name] {
				t.Errorf("after the dry runs %s answers %s, before %s", name, text, read[name])
			}
		}
		for _, line := range slices.Concat(difference(before, after), difference(after, before)) {
			t.Errorf("a row is other after the dry runs: %.400s", line)
		}
		ear := listening(t, h.Superadmin())
		for _, c := range calls {
			c.perform()
		}
		for _, name := range []string{"AUTH.LOGIN", "LICENSE.OFFLINE_CHECKOUT", "LICENSE.VALIDATE", "M2M.TOKEN", "OAUTH.TOKEN"} {
			if !slices.ContainsFunc(calls, func(c *call) bool { return c.Name == name && c.signed }) {
				t.Errorf("%s returned nothing that we signed: what its dry run returns proves nothing", name)
			}
		}
		calls[0].changesKept()
		ear.conform(t, h)
	})
}

// prepare sets up a call of each command.
func prepare(t *testing.T, h *harness.Service, google *upstream.Server) []*call {
	t.Helper()
	root := h.Superadmin()
	unlimited(root)
	reader := newSetup(t, h, root, "reader")
	var calls []*call
	for i, r := range table(t, h) {
		if r.Effect == "none" {
			calls = append(calls, &call{row: r, setup: reader, who: reader.entitled(r), params: r.example})
			continue
		}
		s := newSetup(t, h, root, fmt.Sprintf("somebody%d", i))
		s.google = google
		c := &call{row: r, setup: s, who: s.entitled(r), params: s.params(r)}
		if hook := hooks()[r.Name]; hook != nil {
			c.params = changed(c.params, hook(s))
		}
		calls = append(calls, c)
	}
	return calls
}

// answers are those of all commands that read, but for those that measure: what a
// process remembers shows in them as well as what is stored.
func answers(calls []*call) map[string]string {
	found := map[string]string{}
	for _, c := range calls {
		if c.Effect == "none" && c.Family != "SYSTEM" {
			found[c.Name] = written(c.who.Do(c.Name, needed(c.row, c.params)))
		}
	}
	return found
}

// mayDiffer are the paths and texts that each call makes anew, and that are no
// secrets: identifiers, slugs that end like them, challenges, what is published to prove a
// domain, the beginning of a key, and
// the caller's address.
var mayDiffer = regexp.MustCompile(`/(id|slug|challenge|challenge_id|prefix|ip) | gatehouse-verification=| [a-z]{3}_[0-9a-z]{26}$| [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (c *call) dryRun() {
	c.t.Helper()
	got := c.who.DryRun().Do(c.Name, c.params)
	switch {
	case c.Effect != "store":
		if got.Failure == nil || got.Failure.Code != fault.Validation || !complains(got.Failure, "/dry_run") {
			c.t.Errorf("%s in a dry run: %s, want VALIDATION_ERROR at /dry_run", c.Name, written(got))
		}
		return
	case got.Failure != nil:
		c.t.Errorf("%s in a dry run: %v; if its example cannot succeed, it needs a hook", c.Name, got.Failure)
		return
	}
	for _, text := range signatures(c.Service, got) {
		c.t.Errorf("%s returns in a dry run what verifies under a key of ours: %s", c.Name, text)
	}
	c.announced, c.shown = slices.Sorted(slices.Values(got.Strings("dry_run.events"))), got.Data
	delete(c.shown, "dry_run")
}

func (c *call) perform() {
	c.t.Helper()
	if c.public() {
		refused := c.who.Idempotent("key").Do(c.Name, c.params).Failure
		if refused == nil || refused.Code != fault.Validation || !strings.Contains(refused.Message, "Idempotency-Key") {
			c.t.Errorf("%s without a credential, under a key: %v, want VALIDATION_ERROR about Idempotency-Key", c.Name, refused)
		}
		if c.Effect == "store" {
			c.execute(c.who)
		}
		return
	}
	if c.Effect == "none" {
		return
	}
	first := c.execute(c.who.Idempotent("key"))
	before := c.events()
	second := c.who.Idempotent("key").Do(c.Name, c.params)
	if first.Replayed || !second.Replayed || written(first) != written(second) || c.events() != before {
		c.t.Errorf("%s answers %s, and under the same key %s, with %d more events", c.Name, written(first), written(second), c.events()-before)
	}
}

// execute makes the call and holds its events against what its dry run announced and
// the command declares.
func (c *call) execute(who *harness.Actor) *harness.Reply {
	c.t.Helper()
	before := c.events()
	got := who.Do(c.Name, c.params)
	if got.Failure != nil {
		c.t.Errorf("%s: %v; if its example cannot succeed, it needs a hook", c.Name, got.Failure)
		return got
	}
	c.signed = len(signatures(c.Service, got)) > 0
	for path, text := range texts("", c.shown) {
		if again := texts("", got.Data)[path]; text != "" && text != again && !mayDiffer.MatchString(path+" "+text) {
			c.t.Errorf("%s shows %s in a dry run, which is made anew by each call: is it no secret?", c.Name, path)
		}
	}
	kinds := []string{}
	if err := c.Store.Database().Read.SelectContext(c.t.Context(), &kinds, fmt.Sprintf(`SELECT kind FROM events ORDER BY id DESC LIMIT %d`, c.events()-before)); err != nil {
		c.t.Fatal(err)
	}
	if slices.Sort(kinds); c.Effect == "store" && !slices.Equal(kinds, c.announced) {
		c.t.Errorf("%s stored the events %q, its dry run announced %q", c.Name, kinds, c.announced)
	}
	return got
}

// difference lists the rows of one content that the other one lacks.
func difference(before, after map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(after)), func(line string) bool { return before[line] })
}

// texts are the texts in a result by their paths.
func texts(path string, value any) map[string]string {
	found := map[string]string{}
	switch value := value.(type) {
	case P:
		for name, inner := range value {
			maps.Copy(found, texts(path+"/"+name, inner))
		}
	case []any:
		for i, inner := range value {
			maps.Copy(found, texts(fmt.Sprintf("%s/%d", path, i), inner))
		}
	case string:
		found[path] = value
	}
	return found
}
