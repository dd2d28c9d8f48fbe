package registry_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// encryption is a key of ENCRYPTION_KEY.
const encryption = "ENCRYPTION_KEY=k:5xJ0mYk1n3vVQp8Ht2rZb7cWd9fLgS4aEuKiOo6TqNs="

// personal is what the calls of the harness say of people: their addresses, their user
// agent, and what is planted in texts.
var personal = regexp.MustCompile(`(?i)unmistakable|harness/1\.0|@example\.com|@of\.example|\b10\.\d+\.\d+\.\d+\b|198\.51\.100\.77`)

// openColumns hold what a workspace or the instance shows to others, and the time zone of
// a person: texts in them stay in clear.
func openColumns() []string {
	return []string{
		"apps.name", "apps.name_folded", "apps.slug", "apps.jwks_uri", "audiences.name", "users.timezone", "apps.description", "apps.logo_url", "apps.policy_url", "apps.terms_url", "apps.rules", "apps.scopes",
		"oauth_resources.name", "email_templates.subject", "email_templates.html", "email_templates.text",
		"ip_rules.list", "instance.branding", "workspaces.branding", "workspaces.name", "workspaces.name_folded", "flows.name", "flows.description", "flow_versions.graph", "products.name", "products.name_folded", "products.slug", "products.description", "products.features", "product_slugs.slug",
		"prices.nickname", "prices.meter", "prices.processor_price_id", "coupons.code", "license_policies.name", "license_policies.terms", "licenses.terms", "license_machines.platform",
		"features.key", "features.description", "features.default_value", "features.rules", "feature_overrides.value",
		"workspaces.slug", "workspaces.logo_url", "reserved_slugs.slug", "settings.value", "policies.content",
		"roles.name", "roles.name_folded", "roles.description", "own_permissions.description",
		// The name of what has no other identifier, such as a permission.
		"event_changes.object",
		"member_groups.name", "member_groups.name_folded", "member_groups.description", "member_groups.external_id",
	}
}

// Every column of every table is read after a call of every command, with something
// planted in each of its texts: under ENCRYPTION_KEY none is in clear.
func TestPersonalTextsAreSealed(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := scenario(t, database, encryption)
		for column, text := range inClear(t, h) {
			t.Errorf("%s is in clear: %.200s", column, text)
		}
	})
}

// What a call of every command leaves in clear is sealed by a re-encryption, and is then
// purged as time goes, or bounded.
func TestRowsInClearAreSealedAndPurged(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		sealLater(t, database, scenario(t, database))
		purge(t, harness.On(t, database, encryption))
	})
}

// sealLater holds a database that was in clear to be sealed, column by column, by a
// re-encryption.
func sealLater(t *testing.T, database string, h *harness.Service) {
	t.Helper()
	before := inClear(t, h)
	for _, column := range []string{
		"users.avatar", "users.disabled_why", "sessions.user_agent", "events.user_agent", "events.data", "devices.name", "devices.user_agent",
		"notifications.user_agent", "api_keys.name", "api_keys.allowed_ips", "passkeys.name", "dpop_bindings.name", "mails.last_error",
	} {
		if before[column] == "" {
			t.Errorf("nothing was planted in %s: that it is sealed proves nothing", column)
		}
	}
	sealed := harness.On(t, database, encryption)
	for next, done := "", false; !done; {
		step, err := sealed.Store.Reencryption().Batch(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		next, done = step.Next, step.Done
	}
	for column, text := range inClear(t, sealed) {
		t.Errorf("%s is in clear: %.200s", column, text)
	}
}

// scenario calls each command once that changes anything.
func scenario(t *testing.T, database string, variables ...string) *harness.Service {
	t.Helper()
	google := upstream.StartAll(t)
	variables = append(append(variables, upstream.Environment(google)...), "SOCIAL_REDIRECT_URLS="+page)
	h := harness.On(t, database, variables...)
	for _, c := range prepare(t, h, google[upstream.Google]) {
		if c.Effect != "none" {
			c.plant()
		}
	}
	h.FailMail(&mail.Refused{Permanent: true, Text: "550 no such mailbox: reader@example.com"})
	h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": "reader@example.com"}).OK()
	h.DeliverMail()
	h.RunJobs()
	return h
}

// plant makes the call with something in each text that takes it.
func (c *call) plant() {
	c.t.Helper()
	planted := maps.Clone(c.params)
	for name, property := range c.properties {
		switch {
		case property["type"] == "array" && strings.Contains(name, "ips"):
			planted[name] = []string{"198.51.100.77"}
		case property["type"] == "string" && fixture(name, property) == "" && property["enum"] == nil && property["format"] == nil:
			if text := fittingText(property); text != "" {
				planted[name] = text
			}
		}
	}
	for {
		failure := c.who.Do(c.Name, planted).Failure
		if failure == nil {
			return
		}
		if failure.Code != fault.Validation || !c.unplant(planted, failure) {
			c.who.Do(c.Name, c.params)
			return
		}
	}
}

// fittingText is a text that a parameter takes as far as its schema says, or "".
func fittingText(property P) string {
	pattern, _ := property["pattern"].(string)
	for _, text := range []string{"Unmistakable text", "unmistakable", "https://unmistakable.example/ada.png"} {
		if regexp.MustCompile(pattern).MatchString(text) {
			return text
		}
	}
	return ""
}

// unplant takes back what the command did not take, and reports whether there was any.
func (c *call) unplant(planted P, failure *fault.Error) bool {
	before := maps.Clone(planted)
	for _, field := range failure.Fields {
		name, _, _ := strings.Cut(strings.TrimPrefix(field.Path, "/"), "/")
		delete(planted, name)
		if given, known := c.params[name]; known {
			planted[name] = given
		}
	}
	return fmt.Sprint(before) != fmt.Sprint(planted)
}

// inClear returns a row of each column in which something personal can be read.
func inClear(t *testing.T, h *harness.Service) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, one := range cells(t, h) {
		if text := personal.FindString(one.text); text != "" && !slices.Contains(openColumns(), one.column) {
			found[one.column] = one.text
		}
	}
	return found
}
