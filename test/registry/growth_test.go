package registry_test

import (
	"testing"
	"time"

	billingstore "gatehouse.internal/adapters/sqlstore/billing"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// bounded are the tables that no time empties, with what bounds each.
func bounded() map[string]string {
	return map[string]string{
		"goose_db_version":         "the migrations",
		"instance":                 "one row",
		"feed_cursor":              "one row",
		"replicas":                 "the processes of the last hour",
		"webhook_endpoints":        "webhook.MaxEndpoints for each workspace",
		"audit_streams":            "auditstream.MaxStreams for each workspace",
		"audit_blocks":             "their hashes stay for good; what proves events is cut with them",
		"audit_heads":              "one an hour stays for good, as the hashes do",
		"webhook_subscriptions":    "the events of each webhook",
		"event_queue":              "what was committed and has no place in the feed yet",
		"key_ring":                 "one row",
		"signing_keys":             "the ring forgets keys that ended long ago",
		"settings":                 "the names of settings",
		"policies":                 "the kinds of policies, for each workspace",
		"rate_limit_rules":         "the limits of commands",
		"social_providers":         "the providers",
		"email_templates":          "templates and languages, for each workspace",
		"suppressions":             "the addresses that the mail server refused, or a superadmin named",
		"users":                    "the accounts",
		"credentials":              "one for each account",
		"user_search":              "one for each account",
		"second_factors":           "one for each account",
		"notification_preferences": "one for each account",
		"impersonation_consents":   "one for each account",
		"passkeys":                 "passkey.MaxHeld for each account",
		"identities":               "the providers, for each account",
		"known_clients":            "notice.MaxClients for each account",
		"workspaces":               "the accounts",
		"members":                  "the accounts and workspaces",
		"roles":                    "workspace.MaxRoles for each workspace",
		"member_roles":             "the roles of each membership",
		"own_permissions":          "workspace.MaxPermissions for each workspace",
		"mail_domains":             "maildomain.MaxDomains for each workspace",
		"member_groups":            "workspace.MaxGroups for each workspace",
		"group_members":            "the groups and members of each workspace",
		"ip_rules":                 "iprule.MaxRules for the instance and each workspace",
		"apps":                     "the setting max_apps",
		"app_redirects":            "the redirect_urls of each app",
		"audiences":                "names stay given for good, so that nobody else gets them: 500 APIs for each workspace, and the slugs of its apps",
		"oauth_consents":           "the apps that each person let in",
		"oauth_logouts":            "what clients are yet to be told: it goes with the fifth attempt, within two hours",
		"oauth_resources":          "500 for each workspace",
		"products":                 "product.MostProducts for each workspace",
		"product_slugs":            "the products that were ever made: a slug is never given away",
		"prices":                   "billing.MostPrices for each product",
		"coupons":                  "billing.MostCoupons for each workspace",
		"customers":                "the buyers of each workspace",
		"checkouts":                "the purchases that people begin; books are kept",
		"subscriptions":            "one for each checkout",
		"invoices":                 "what was billed; books are kept",
		"invoice_numbers":          "the years of each workspace",
		"payments":                 "what was paid; books are kept",
		"refunds":                  "what was paid back; books are kept",
		"subscription_usage":       "the periods of each metered subscription",
		"processor_mirrors":        "the prices and coupons of each workspace, for each processor and mode",
		"processor_names":          "the prices and coupons of each workspace, for each processor and mode, by each name that its seller chose",
		"payment_intents":          "calls that are under way; the row goes with the answer",
		"sandbox_sales":            "the purchases in the sandbox of development instances",
		"license_policies":         "license.MostPolicies for each workspace",
		"licenses":                 "what workspaces issued",
		"license_ends":             "a row for each kind of end",
		"license_machines":         "license.MostMachines for each license; those that lapsed are purged, which the tests of LICENSE show",
		"license_seats":            "license.MostSeats for each license",
		"features":                 "feature.MostFeatures for each workspace",
		"feature_heads":            "one for each workspace",
		"feature_overrides":        "what workspaces pin, until they delete it; what expires is purged, which the tests of FEATURE show",
		"relation_heads":           "one for each workspace",
		"relation_models":          "the last 100 versions of each workspace",
		"relation_tuples":          "what workspaces state, until they delete it; what expires is purged, which the contract of upkeep shows",
		"flows":                    "flow.MaxFlows for each workspace, and for the instance",
		"flow_versions":            "the last 100 of each flow",
		"last_uses":                "one for each API key and secret of an app that is stored",
	}
}

// purge holds every table to lose its rows as time goes, unless it is known to be bounded.
func purge(t *testing.T, h *harness.Service) {
	t.Helper()
	root := h.Superadmin()
	root.Idempotent("key").Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).OK()
	const orders = "https://api.example.com/orders"
	root.Do("DPOP.VERIFY", P{"proof": h.Holder().Proof("POST", orders, ""), "method": "POST", "url": orders}).OK()
	root.Do("AUTH.REAUTHENTICATE", P{"password": "wrong"}).Fails(fault.Auth)
	root.Do("EVENT.LIST", nil).OK()
	// On SQLite, requests are counted beside the database.
	check := outbound.LimitCheck{Key: "counted in the database", Rule: limit.Rule{Limit: 1, Window: time.Minute}}
	if _, err := h.Store.Admission().Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}); err != nil {
		t.Fatal(err)
	}
	root.Do("FLOW.CREATE", P{"name": "watched", "scope": "instance", "trigger": "login", "nodes": []P{{"id": "start", "type": "start"}}, "edges": []P{}, "enabled": true}).OK()
	if taken, err := billingstore.Turns(h.Store).Take(t.Context(), "price", "a replica that died", h.Clock.Now(), h.Clock.Now().Add(time.Minute)); err != nil || !taken {
		t.Fatalf("a turn at a processor: %v, %v", taken, err)
	}
	h.Superadmin()
	h.Clock.Advance(2 * time.Minute) // events enter the chain within one, and stay until they have
	if err := h.Relay.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := rows(t, h)
	upkeep, future := opsstore.Upkeep(h.Store), h.Clock.Now().Add(100*365*24*time.Hour)
	for _, kind := range ops.PurgeKinds() {
		for n := 1; n > 0; {
			var err error
			if n, err = upkeep.Purge(t.Context(), kind, future); err != nil {
				t.Fatal(err)
			}
		}
	}
	after := rows(t, h)
	for table, n := range before {
		switch {
		case bounded()[table] != "":
		case n == 0:
			t.Errorf("no command leaves a row in %s: whether it is purged is not shown", table)
		case after[table] >= n:
			t.Errorf("%s keeps its %d rows for ever: purge it, or name what bounds it", table, n)
		}
	}
	for table := range bounded() {
		if _, known := before[table]; !known {
			t.Errorf("there is no table %s", table)
		}
	}
}

// rows counts those of each table.
func rows(t *testing.T, h *harness.Service) map[string]int {
	t.Helper()
	counted := map[string]int{}
	for _, name := range tableNames(t, h) {
		counted[name] = 0
		readAll(t, h, name, func([]string, []any) { counted[name]++ })
	}
	return counted
}
