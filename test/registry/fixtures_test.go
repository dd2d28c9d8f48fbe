package registry_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// setup is somebody with a workspace, and the things of theirs that parameters name.
// A thing is made when it is first asked for, and once.
type setup struct {
	*harness.Service

	root, owner *harness.Actor
	google      *upstream.Server
	email       string
	phone       *harness.App // the second factor, if there is one
	made        map[string]any
	t           *testing.T
}

// newSetup signs somebody up.
func newSetup(t *testing.T, h *harness.Service, root *harness.Actor, name string) *setup {
	t.Helper()
	email := name + "@example.com"
	return &setup{Service: h, root: root, owner: h.SignUp(email), email: email, made: map[string]any{}, t: t}
}

// name is the owner's.
func (s *setup) name() string {
	name, _, _ := strings.Cut(s.email, "@")
	return name
}

// fixtures make what parameters name, by the name of the parameter, else by the
// prefix of its TypeID.
func fixtures() map[string]func(*setup) any {
	return map[string]func(*setup) any{
		"usr_": func(s *setup) any { return s.mate().String("user.id") },
		"org_": func(s *setup) any { return s.owner.OrgID },
		"ses_": func(s *setup) any { return s.another().SessionID },
		"key_": func(s *setup) any { return s.key().String("api_key.id") },
		"dpk_": func(s *setup) any {
			return s.owner.Do("DPOP.REGISTER", P{"public_jwk": s.Holder().JWK()}).String("binding.id")
		},
		"imp_": func(s *setup) any {
			return s.Superadmin().Do("IMPERSONATION.START", P{"user_id": s.value("usr_"), "reason": "a look"}).String("impersonation.id")
		},
		"dev_": func(s *setup) any {
			s.factor() // a device is remembered after a second factor
			return s.owner.Do("DEVICE.TRUST", nil).String("device.id")
		},
		"ntf_": func(s *setup) any {
			s.key() // somebody is told of it
			return s.owner.Do("NOTIFICATION.LIST", nil).List("items")[0]["id"]
		},
		"ras_": func(s *setup) any {
			s.Anonymous().From(200<<16).By("curl/8.0").Do("AUTH.LOGIN", P{"email": s.email, "password": harness.Password}).OK()
			return s.owner.Do("RISK.ASSESSMENT_LIST", nil).List("items")[0]["id"]
		},
		"fac_": func(s *setup) any { return s.factor().FactorID },
		"pky_": func(s *setup) any {
			s.owner.Passkey()
			return s.owner.Do("WEBAUTHN.LIST_CREDENTIALS", nil).List("items")[0]["id"]
		},
		"sec_": func(s *setup) any {
			s.owner.Do("APP.ROTATE_KEY", P{"app_id": s.value("app_id"), "overlap_hours": 1}).OK()
			return s.owner.Do("APP.GET", P{"app_id": s.value("app_id")}).List("secrets")[1]["secret_id"]
		},
		"inv_": func(s *setup) any {
			s.verified()
			return s.owner.Do("TEAM.INVITE", P{"email": "guest." + s.email, "role": "member"}).String("invitation.id")
		},
		"dom_": func(s *setup) any {
			added := s.owner.Do("TEAM.DOMAIN_ADD", P{"domain": s.name() + ".example.org"})
			s.DNS.Publish(added.String("dns_record.name"), added.String("dns_record.value"))
			return added.String("domain.id")
		},
		"app_id": func(s *setup) any { return s.app().String("app.id") },
		"eml_": func(s *setup) any {
			s.FailMail(&mail.Refused{Permanent: true, Text: "550 no"})
			defer s.FailMail(nil)
			s.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": s.email}).OK()
			s.DeliverMail()
			return s.root.Do("EMAIL.OUTBOX_LIST", P{"status": "failed"}).List("items")[0]["id"]
		},
		"rol_": func(s *setup) any {
			return s.owner.Do("ROLE.CREATE", P{"name": "Reader", "permissions": []string{"flows:read"}}).String("role.id")
		},
		"evt_": func(s *setup) any {
			s.group()
			return s.owner.Do("EVENT.LIST", P{"types": []string{"group.*"}}).List("items")[0]["id"]
		},
		"whk_": func(s *setup) any {
			receiver := httptest.NewServer(http.NotFoundHandler())
			s.t.Cleanup(receiver.Close)
			return s.owner.Do("WEBHOOK.CREATE", P{"url": receiver.URL, "events": []string{"group.deleted"}}).String("webhook.id")
		},
		"ast_": func(s *setup) any {
			receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			s.t.Cleanup(receiver.Close)
			return s.owner.Do("AUDIT.STREAM_CREATE", P{"name": "siem", "kind": "http", "url": receiver.URL, "secret": "a secret of the stream"}).String("stream.id")
		},
		"dlv_": func(s *setup) any {
			receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			s.t.Cleanup(receiver.Close)
			s.owner.Do("WEBHOOK.CREATE", P{"url": receiver.URL, "events": []string{"group.created"}}).OK()
			s.owner.Do("GROUP.CREATE", P{"name": "Told"}).OK()
			s.SendWebhooks()
			return s.owner.Do("WEBHOOK.DELIVERY_LIST", nil).List("items")[0]["id"]
		},
		"grp_": func(s *setup) any { return s.group().String("group.id") },
		"permission": func(s *setup) any {
			s.owner.Do("PERMISSION.CREATE", P{"permission": "wiki:read"}).OK()
			return "wiki:read"
		},
		"run_": func(s *setup) any {
			graph := P{"nodes": []P{{"id": "start", "type": "start"}}, "edges": []P{}}
			s.owner.Do("FLOW.CREATE", P{"name": "watched", "trigger": "login", "nodes": graph["nodes"], "edges": graph["edges"], "enabled": true}).OK()
			s.Anonymous().Do("AUTH.LOGIN", P{"email": s.email, "password": harness.Password}).OK()
			s.owner.Do("FLOW.DELETE", P{"name": "watched"}).OK()
			return s.owner.Do("FLOW.RUN_LIST", nil).OK().List("items")[0]["id"]
		},
		"rul_": func(s *setup) any {
			return s.owner.Do("IP_RULE.CREATE", P{"cidr": "203.0.113.0/24", "action": "deny", "scope": "workspace"}).String("ip_rule.id")
		},
		"idn_": func(s *setup) any {
			s.link()
			return s.root.Do("USER.IDENTITY_LIST", P{"user_id": s.owner.UserID}).List("items")[0]["id"]
		},
		// A key that signed nothing.
		"kid": func(s *setup) any {
			s.root.Do("JWT_KEY.ROTATE", nil).OK()
			return s.root.Do("JWT_KEY.ROTATE", nil).String("previous_kid")
		},
		"rsv_": func(s *setup) any {
			return s.owner.Do("OAUTH.RESOURCE_CREATE", P{"identifier": "https://api.of." + s.name(), "name": "API", "scopes": []P{}}).String("resource.id")
		},
		"product_id": func(s *setup) any {
			return s.owner.Do("PRODUCT.CREATE", P{"name": "Table", "slug": "table-of-" + s.name()}).String("product.id")
		},
		"pri_": func(s *setup) any {
			return s.owner.Do("BILLING.PRICE_CREATE", P{"product_id": s.value("product_id"), "currency": "EUR", "unit_amount": 1900}).String("price.id")
		},
		"chk_": func(s *setup) any { return s.bought().String("checkout.id") },
		"sub_": func(s *setup) any { return s.bought().String("subscription.id") },
		"pay_": func(s *setup) any {
			s.bought()
			return s.owner.Do("BILLING.PAYMENT_LIST", nil).List("items")[0]["id"]
		},
		"cus_": func(s *setup) any { return s.bought().String("subscription.customer_id") },
		"bin_": func(s *setup) any {
			s.bought()
			return s.owner.Do("BILLING.INVOICE_LIST", nil).List("items")[0]["id"]
		},
		// One that failed.
		"pev_": func(s *setup) any {
			s.Lie(s.page())
			return s.owner.Do("BILLING.PROCESSOR_EVENT_LIST", P{"status": "failed"}).List("items")[0]["id"]
		},
		"lpo_": func(s *setup) any {
			return s.owner.Do("LICENSE.POLICY_CREATE", P{"name": "Standard"}).String("policy.id")
		},
		"lic_": func(s *setup) any { return s.license().String("license.id") },
		"mch_": func(s *setup) any {
			return s.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": s.license().String("key"), "machine": "m"}).String("machine.id")
		},
		"lse_": func(s *setup) any {
			return s.Anonymous().Do("LICENSE.LEASE_ACQUIRE", P{"key": s.floating().String("key"), "machine": "m"}).String("lease.id")
		},
		// One of the instance, which nobody but superadmins sees.
		"job_": func(s *setup) any { return s.root.Do("USER.BULK_EXPORT", nil).String("job_id") },

		"client_id":     func(s *setup) any { return s.app().String("app.slug") },
		"client_secret": func(s *setup) any { return s.app().String("api_key") },
		"jti": func(s *setup) any {
			s.Anonymous().Do("M2M.TOKEN", P{"client_id": s.value("client_id"), "client_secret": s.value("client_secret")}).OK()
			return s.owner.Do("M2M.LIST", P{"app_id": s.value("app_id")}).List("items")[0]["jti"]
		},
		"public_jwk":       func(s *setup) any { return s.Holder().JWK() },
		"email":            func(s *setup) any { return "new." + s.email },
		"external_id":      func(s *setup) any { return s.email },
		"password":         func(*setup) any { return harness.Password },
		"current_password": func(*setup) any { return harness.Password },
		"new_password":     func(*setup) any { return "quite another battery" },
		"refresh_token":    func(s *setup) any { return s.another().RefreshToken },
	}
}

// value is a thing by the name of its parameter or the prefix of its TypeID.
func (s *setup) value(name string) any {
	s.t.Helper()
	if _, known := s.made[name]; !known {
		s.made[name] = fixtures()[name](s)
	}
	return s.made[name]
}

// remembered makes something that several fixtures are parts of.
func (s *setup) remembered(name string, do func() *harness.Reply) *harness.Reply {
	if s.made[name] == nil {
		s.made[name] = do().OK()
	}
	return s.made[name].(*harness.Reply)
}

// another is another session of the owner.
func (s *setup) another() *harness.Actor {
	if s.phone == nil {
		return s.Login(s.email, harness.Password)
	}
	s.Clock.Advance(harness.Step) // a code works once
	return s.LoginBy(s.email, s.phone)
}

// mate is another member of the workspace.
func (s *setup) mate() *harness.Reply {
	return s.remembered("a mate", func() *harness.Reply {
		return s.root.Do("USER.CREATE", P{"email": "mate." + s.email, "password": harness.Password, "org_id": s.owner.OrgID, "role": role.Member})
	})
}

// group is a group of the workspace, without members.
func (s *setup) group() *harness.Reply {
	return s.remembered("a group", func() *harness.Reply { return s.owner.Do("GROUP.CREATE", P{"name": "Operations"}) })
}

// license is one of the workspace's product.
func (s *setup) license() *harness.Reply {
	return s.remembered("a license", func() *harness.Reply { return s.owner.Do("LICENSE.ISSUE", P{"product_id": s.value("product_id")}) })
}

// floating is a license of the workspace whose seats are leased, and which has a meter.
func (s *setup) floating() *harness.Reply {
	return s.remembered("a floating license", func() *harness.Reply {
		terms := P{"name": "Floating", "floating": true, "meters": P{"exports": P{"limit": 9, "period": "month", "on_limit": "allow"}}}
		policy := s.owner.Do("LICENSE.POLICY_CREATE", terms).String("policy.id")
		made := s.owner.Do("LICENSE.ISSUE", P{"product_id": s.value("product_id"), "policy_id": policy})
		s.Anonymous().Do("LICENSE.USAGE_INCREMENT", P{"key": made.String("key"), "meter": "exports", "event_id": "1"}).OK()
		for _, command := range []string{"ACTIVATE", "DEACTIVATE"} { // a place that was freed
			s.Anonymous().Do("LICENSE.MACHINE_"+command, P{"key": made.String("key"), "machine": "m"}).OK()
		}
		return made
	})
}

// page is that of a checkout which is open.
func (s *setup) page() string {
	price := s.owner.Do("BILLING.PRICE_CREATE", P{"product_id": s.value("product_id"), "currency": "EUR", "unit_amount": 1900, "interval": "month"}).OK()
	return s.owner.Do("BILLING.CHECKOUT_CREATE", P{"price_id": price.String("price.id"), "success_url": shopURL}).String("checkout.url")
}

// shopURL is one that development instances send buyers back to.
const shopURL = "http://localhost:3000/done"

// bought is a subscription that the owner bought from themself.
func (s *setup) bought() *harness.Reply {
	return s.remembered("a subscription", func() *harness.Reply {
		s.Act(s.page(), "pay")
		listed := s.owner.Do("BILLING.SUBSCRIPTION_LIST", nil).List("items")
		return s.owner.Do("BILLING.CHECKOUT_GET", P{"checkout_id": listed[0]["checkout_id"]})
	})
}

func (s *setup) app() *harness.Reply {
	return s.remembered("an app", func() *harness.Reply {
		return s.owner.Do("APP.REGISTER", P{"name": "App", "slug": "app-of-" + s.name(), "scopes": []string{"invoices:read"}})
	})
}

func (s *setup) key() *harness.Reply {
	return s.remembered("a key", func() *harness.Reply { return s.owner.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}) })
}

// fixture is the name of the fixture for a parameter, "" when the example will do.
func fixture(name string, schema P) string {
	if prefix := prefixOf(schema); prefix != "" {
		return prefix
	}
	if items, listed := schema["items"].(P); listed && prefixOf(items) != "" {
		return prefixOf(items)
	}
	if fixtures()[name] != nil {
		return name
	}
	return ""
}

// prefixOf is the prefix of the TypeIDs that a schema describes.
func prefixOf(schema P) string {
	pattern, _ := schema["pattern"].(string)
	prefix, rest, found := strings.Cut(strings.TrimPrefix(pattern, "^"), "_")
	if !found || !strings.HasPrefix(rest, "[0-7][0-9a-hjkmnp-tv-z]{25}$") {
		return ""
	}
	return prefix + "_"
}

// params are those of the example but for some, with what they name taken from the
// setup.
func (s *setup) params(r row, but ...string) P {
	s.t.Helper()
	params := P{}
	for name, shown := range r.example {
		if slices.Contains(but, name) {
			continue
		}
		params[name] = shown
		if known := fixture(name, r.properties[name]); known != "" {
			params[name] = s.fitting(r.properties[name], known)
		}
	}
	return params
}

// fitting is a thing as the schema of its parameter wants it: alone or in a list.
func (s *setup) fitting(schema P, known string) any {
	if fixtures()[known] == nil {
		s.t.Errorf("no fixture makes a thing whose id begins with %s: add one to fixtures()", known)
		return nil
	}
	if schema["type"] == "array" {
		return []any{s.value(known)}
	}
	return s.value(known)
}

// absent is an id like another one, of nothing.
func absent(id any) any {
	if list, many := id.([]any); many {
		return []any{absent(list[0])}
	}
	text := fmt.Sprint(id)
	if prefix, _, typed := strings.Cut(text, "_"); typed {
		return prefix + "_01jd7x9k2mf3q8v5t0abcdefgh"
	}
	return "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"
}
