package plan

import "gatehouse.internal/domain/flow"

// Template is a ready graph to begin with.
type Template struct {
	Name    flow.Name
	Summary string
	Trigger flow.Trigger
	flow.Graph
}

// Templates lists them.
//
//nolint:funlen // a table
func Templates() []Template {
	return []Template{
		{
			"force-mfa-for-role", "Requires a second factor from everybody with a role.", flow.Login,
			asking("'admin' in user.roles || 'owner' in user.roles", "mfa", "require_mfa", flow.Config{}),
		},
		{
			"office-hours", "Allows sign-ins on working days from 7:00 to 19:00 (UTC), and from the office at any time.", flow.Login,
			flow.Graph{
				Nodes: []flow.Node{
					node("start", "start", nil), node("office", "ip_allowlist", flow.Config{"cidrs": []any{"192.0.2.0/24"}}),
					node("hours", "condition", flow.Config{"expression": "now.getDayOfWeek() in [1, 2, 3, 4, 5] && now.getHours() >= 7 && now.getHours() < 19"}),
					node("closed", "deny", flow.Config{"reason": "Sign in during office hours, or from the office."}),
				},
				Edges: []flow.Edge{{From: "start", To: "office"}, {From: "office", To: "hours", When: no}, {From: "hours", To: "closed", When: no}},
			},
		},
		{
			"office-addresses", "Allows sign-ins only from certain addresses.", flow.Login,
			refusing("ip_allowlist", flow.Config{"cidrs": []any{"192.0.2.0/24", "2001:db8::/32"}}, no, "Sign in from the office."),
		},
		{
			"deny-high-risk", "Denies high-risk attempts, and requires a second factor at medium risk.", flow.Login,
			flow.Graph{
				Nodes: []flow.Node{
					node("start", "start", nil), node("high", "risk_score", flow.Config{"at_least": 70}),
					node("deny", "deny", flow.Config{"reason": "This attempt does not look like you."}),
					node("medium", "risk_score", flow.Config{"at_least": 30}), node("mfa", "require_mfa", nil),
				},
				Edges: []flow.Edge{
					{From: "start", To: "high"},
					{From: "high", To: "deny", When: yes},
					{From: "high", To: "medium", When: no},
					{From: "medium", To: "mfa", When: yes},
				},
			},
		},
		{
			"challenge-new-devices", "Requires a second factor on devices that are new to the account.", flow.Login,
			asking("!device.known", "mfa", "require_mfa", flow.Config{}),
		},
		{
			"block-disposable-domains", "Blocks sign-ups with disposable email addresses.", flow.Signup,
			refusing("condition", flow.Config{"expression": disposable}, yes, "Sign up with a lasting address."),
		},
		{
			"partner-domains", "Allows sign-ups only with email addresses of your partners' domains.", flow.Signup,
			refusing("condition", flow.Config{"expression": "user.email_domain in ['partner.example', 'example.com']"}, no,
				"Sign up with the address of a partner."),
		},
		{
			"step-up-old-sessions", "Ends sessions without a second factor within the last day.", flow.Refresh,
			asking("true", "mfa", "require_mfa", flow.Config{"fresh_within_seconds": 86400}),
		},
		{
			"quarantine-new-accounts", "Gives accounts in their first three days short sessions and a claim that marks them.", flow.Login,
			flow.Graph{
				Nodes: []flow.Node{
					node("start", "start", nil), node("new", "condition", flow.Config{"expression": "now - user.created_at < duration('72h')"}),
					node("mark", "set_claim", flow.Config{"name": "quarantined", "expression": "true"}),
					node("short", "set_session", flow.Config{"idle_minutes": 15, "absolute_minutes": 60}),
				},
				Edges: []flow.Edge{{From: "start", To: "new"}, {From: "new", To: "mark", When: yes}, {From: "mark", To: "short"}},
			},
		},
		{
			"slow-down-addresses", "Denies addresses that sign in more than 20 times a minute.", flow.Login,
			refusing("rate_limit", flow.Config{"key": "ip", "limit": 20, "window_seconds": 60}, yes, "Too many sign-ins from your address: wait a minute."),
		},
	}
}

const disposable = "user.email_domain in ['mailinator.com', 'guerrillamail.com', '10minutemail.com', 'yopmail.com', 'trashmail.com', 'temp-mail.org', 'sharklasers.com', 'getnada.com']"

func node(id, kind string, config flow.Config) flow.Node {
	return flow.Node{ID: id, Type: kind, Config: config}
}

// asking returns a graph with a requirement under a condition.
func asking(expression, id, kind string, config flow.Config) flow.Graph {
	return flow.Graph{
		Nodes: []flow.Node{node("start", "start", nil), node("if", "condition", flow.Config{"expression": expression}), node(id, kind, config)},
		Edges: []flow.Edge{{From: "start", To: "if"}, {From: "if", To: id, When: yes}},
	}
}

// refusing returns a graph that denies by an output of one node.
func refusing(kind string, config flow.Config, when, reason string) flow.Graph {
	return flow.Graph{
		Nodes: []flow.Node{node("start", "start", nil), node("check", kind, config), node("deny", "deny", flow.Config{"reason": reason})},
		Edges: []flow.Edge{{From: "start", To: "check"}, {From: "check", To: "deny", When: when}},
	}
}
