package plan

import (
	"slices"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound"
)

// part is one variable of the context: an object with fields, or a plain value.
type part struct {
	name, doc string
	fields    []field
	plain, of outbound.VariableType
	// absent is the default of FLOW.TEST for a plain value.
	absent any
	// nullable reports whether the object may be null.
	nullable bool
	// early reports whether it is known before any account is looked at.
	early bool
	// only lists the triggers that have it; nil: all.
	only []flow.Trigger
}

// field is one field of an object.
type field struct {
	name, doc string
	kind      outbound.VariableType
	// absent is the default of FLOW.TEST; nil leaves it out.
	absent any
}

// persons returns the triggers with an authenticated person.
func persons() []flow.Trigger {
	return []flow.Trigger{flow.Login, flow.MFAVerify, flow.SocialLogin, flow.PasskeyLogin}
}

// parts returns the whole context.
func parts() []part {
	const text, flag, texts, at, number, anything = outbound.TextField, outbound.FlagField, outbound.TextsField,
		outbound.TimeField, outbound.IntValue, outbound.AnyField
	none := []any{}
	return []part{
		{name: "trigger", doc: "What is decided about.", plain: text, early: true},
		{name: "now", doc: "The time.", plain: at, early: true},
		{name: "ip", doc: "Where the call comes from.", early: true, fields: []field{
			{"address", "The address.", text, "203.0.113.7"},
			{"version", "4 or 6.", number, int64(4)},
			{"country", "Two letters (ISO 3166); absent without a GeoIP file.", text, nil},
			{"asn", "Number of the network; absent without a GeoIP file.", number, nil},
		}},
		{name: "user_agent", doc: "What the call is made with.", early: true, fields: []field{
			{"raw", "The header as it was sent.", text, ""},
			{"browser", "Name of the browser, or empty.", text, ""},
			{"os", "Name of the operating system, or empty.", text, ""},
			{"device", "mobile, desktop or other.", text, "other"},
		}},
		{name: "device", doc: "What the account knows of the client.", only: persons(), fields: []field{
			{"known", "Whether the account was used with it lately.", flag, false},
			{"trusted", "Whether it is remembered in place of a second factor.", flag, false},
			{"age_days", "Days since the last sign-in with it that was noted.", number, int64(0)},
		}},
		{
			name: "user", doc: "Whom it is about; null where nobody is known.", nullable: true,
			only: append(persons(), flow.Signup, flow.Refresh, flow.PasswordReset), fields: userFields(),
		},
		{name: "org", doc: "The workspace that is entered; null where none is.", nullable: true, fields: []field{
			{"id", "Identifier.", text, "org_01jd7x9k2mf3q8v5t0abcdefgh"},
			{"slug", "Slug.", text, "engines"},
			{"metadata", "Its metadata.", anything, map[string]any{}},
		}},
		{name: "method", doc: "How the identity was proved first: password, code, passkey, social, session, invitation or client.", plain: text, absent: "password"},
		{
			name: "amr", doc: "How the identity was proved (RFC 8176).", plain: outbound.ListValue, of: text, absent: none,
			only: append(persons(), flow.Refresh),
		},
		{name: "risk", doc: "What the attempt looks like.", only: append(persons(), flow.Refresh), fields: []field{
			{"score", "0 to 100.", number, int64(0)},
			{"level", "low, medium or high.", text, "low"},
			{"signals", "Names of what was noticed.", texts, []string{}},
		}},
		{name: "client", doc: "The app that asks for a token.", only: []flow.Trigger{flow.M2MToken}, fields: []field{
			{"id", "Its client_id.", text, "billing"},
			{"type", "Its type.", text, "service"},
		}},
		{name: "scopes", doc: "What it asks for.", plain: outbound.ListValue, of: text, absent: none, only: []flow.Trigger{flow.M2MToken}},
		{
			name: "provider", doc: "The provider that somebody comes from, or empty.", plain: text, absent: "",
			only: []flow.Trigger{flow.SocialLogin, flow.Signup},
		},
		{name: "history", doc: "What happened on the account lately.", only: append(persons(), flow.Refresh), fields: []field{
			{"failures_1h", "Failed sign-ins of the last hour.", number, int64(0)},
			{"logins_24h", "Sign-ins of the last day.", number, int64(0)},
			{"distinct_ips_24h", "From how many addresses.", number, int64(0)},
		}},
	}
}

func userFields() []field {
	return []field{
		{"id", "Identifier; empty before the account exists.", outbound.TextField, "usr_01jd7x9k2mf3q8v5t0abcdefgh"},
		{"email_domain", "What stands behind the @ of the address.", outbound.TextField, "example.com"},
		{"email_verified", "Whether the address was proved.", outbound.FlagField, true},
		{"created_at", "When the account was made; now, before it exists.", outbound.TimeField, nil},
		{"roles", "Names of the roles in the workspace that is entered.", outbound.TextsField, []string{"member"}},
		{"groups", "Identifiers of the groups there.", outbound.TextsField, []string{}},
		{"metadata", "Metadata of the account.", outbound.AnyField, map[string]any{}},
		{"mfa_enrolled", "Whether there is a second factor.", outbound.FlagField, false},
		{"last_login_at", "The sign-in before; absent before the first.", outbound.TimeField, nil},
	}
}

// partsOf returns the parts of the context of a trigger.
func partsOf(t flow.Trigger) []part {
	return slices.DeleteFunc(parts(), func(p part) bool { return p.only != nil && !slices.Contains(p.only, t) })
}

// Parts returns the names of the parts of the context of a trigger.
func Parts(t flow.Trigger) []string {
	var names []string
	for _, p := range partsOf(t) {
		names = append(names, p.name)
	}
	return names
}

// Context returns the values of the parts that the context of a trigger has.
func Context(t flow.Trigger, values map[string]any) map[string]any {
	own := map[string]any{}
	for _, name := range Parts(t) {
		if value, known := values[name]; known {
			own[name] = value
		}
	}
	return own
}

// variables returns the variables of expressions for a trigger.
func variables(t flow.Trigger) []outbound.Variable {
	var all []outbound.Variable
	for _, p := range partsOf(t) {
		v := outbound.Variable{Name: p.name, Type: p.plain, Of: p.of}
		for _, f := range p.fields {
			v.Fields = append(v.Fields, outbound.VariableField{Name: f.name, Type: f.kind})
		}
		all = append(all, v)
	}
	return all
}

// isEarly reports whether a part of the context is known before any account is looked at.
func isEarly(name string) bool {
	at := slices.IndexFunc(parts(), func(p part) bool { return p.name == name })
	return at >= 0 && parts()[at].early
}
