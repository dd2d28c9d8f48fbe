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
		{name: "trigger", doc: "Trigger that the flow decides about.", plain: text, early: true},
		{name: "now", doc: "Current time.", plain: at, early: true},
		{name: "ip", doc: "Network address of the request.", early: true, fields: []field{
			{"address", "IP address.", text, "203.0.113.7"},
			{"version", "IP version: 4 or 6.", number, int64(4)},
			{"country", "Two-letter country code (ISO 3166). Omitted without a GeoIP file.", text, nil},
			{"asn", "Autonomous system number of the network. Omitted without a GeoIP file.", number, nil},
		}},
		{name: "user_agent", doc: "Client that made the request.", early: true, fields: []field{
			{"raw", "User-Agent header as sent.", text, ""},
			{"browser", "Name of the browser. May be empty.", text, ""},
			{"os", "Name of the operating system. May be empty.", text, ""},
			{"device", "Kind of device: mobile, desktop or other.", text, "other"},
		}},
		{name: "device", doc: "Device, as known to the account.", only: persons(), fields: []field{
			{"known", "Whether the account was recently used on this device.", flag, false},
			{"trusted", "Whether the device is trusted in place of a second factor.", flag, false},
			{"age_days", "Days since the last recorded sign-in on this device.", number, int64(0)},
		}},
		{
			name: "user", doc: "Account that the flow decides about. Null if none is known.", nullable: true,
			only: append(persons(), flow.Signup, flow.Refresh, flow.PasswordReset), fields: userFields(),
		},
		{name: "org", doc: "Workspace that the person signs in to. Null if there is none.", nullable: true, fields: []field{
			{"id", "ID of the workspace.", text, "org_01jd7x9k2mf3q8v5t0abcdefgh"},
			{"slug", "Slug of the workspace.", text, "engines"},
			{"metadata", "Metadata of the workspace.", anything, map[string]any{}},
		}},
		{name: "method", doc: "Primary sign-in method: password, code, passkey, social, session, invitation or client.", plain: text, absent: "password"},
		{
			name: "amr", doc: "Authentication methods used (RFC 8176).", plain: outbound.ListValue, of: text, absent: none,
			only: append(persons(), flow.Refresh),
		},
		{name: "risk", doc: "Risk of the attempt.", only: append(persons(), flow.Refresh), fields: []field{
			{"score", "Risk score, from 0 to 100.", number, int64(0)},
			{"level", "Risk level: low, medium or high.", text, "low"},
			{"signals", "Names of the risk signals detected.", texts, []string{}},
		}},
		{name: "client", doc: "App that requests a token.", only: []flow.Trigger{flow.M2MToken}, fields: []field{
			{"id", "client_id of the app.", text, "billing"},
			{"type", "Type of the app.", text, "service"},
		}},
		{name: "scopes", doc: "Scopes that the app requests.", plain: outbound.ListValue, of: text, absent: none, only: []flow.Trigger{flow.M2MToken}},
		{
			name: "provider", doc: "Provider that the person signs in with. May be empty.", plain: text, absent: "",
			only: []flow.Trigger{flow.SocialLogin, flow.Signup},
		},
		{name: "history", doc: "Recent activity of the account.", only: append(persons(), flow.Refresh), fields: []field{
			{"failures_1h", "Failed sign-ins in the last hour.", number, int64(0)},
			{"logins_24h", "Sign-ins in the last 24 hours.", number, int64(0)},
			{"distinct_ips_24h", "Number of distinct IP addresses in the last 24 hours.", number, int64(0)},
		}},
	}
}

func userFields() []field {
	return []field{
		{"id", "ID of the account. Empty before the account exists.", outbound.TextField, "usr_01jd7x9k2mf3q8v5t0abcdefgh"},
		{"email_domain", "Domain of the email address.", outbound.TextField, "example.com"},
		{"email_verified", "Whether the email address is verified.", outbound.FlagField, true},
		{"created_at", "Time at which the account was created. The current time before the account exists.", outbound.TimeField, nil},
		{"roles", "Names of the account's roles in the workspace.", outbound.TextsField, []string{"member"}},
		{"groups", "IDs of the account's groups in the workspace.", outbound.TextsField, []string{}},
		{"metadata", "Metadata of the account.", outbound.AnyField, map[string]any{}},
		{"mfa_enrolled", "Whether the account has a second factor.", outbound.FlagField, false},
		{"last_login_at", "Time of the previous sign-in. Omitted before the first sign-in.", outbound.TimeField, nil},
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
