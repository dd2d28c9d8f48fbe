package registry_test

import (
	"maps"
	"net/url"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// hooks are what the examples of some commands lack to succeed: parameters that
// belong together, or something that must have come before. They return changes of
// the parameters; a nil takes one away.
func hooks() map[string]func(*setup) P {
	return map[string]func(*setup) P{
		"AUDIT.RECORD": func(*setup) P { return P{"actor": P{"id": "4711"}, "occurred_at": nil} },
		"AUTH.LOGIN":   func(s *setup) P { return P{"email": s.email, "org_id": nil} },
		"AUTH.MFA_VERIFY": func(s *setup) P {
			phone := s.factor()
			return P{"challenge_token": s.Challenge(s.email), "code": phone.CodeIn(harness.Step)}
		},
		"AUTH.PASSWORDLESS_VERIFY": func(s *setup) P {
			begun := s.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": s.email}).OK()
			return P{"challenge_id": begun.String("challenge_id"), "code": s.MailedCode(s.email)}
		},
		"AUTH.RESET_PASSWORD": func(s *setup) P {
			s.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": s.email}).OK()
			return P{"token": s.LastMail(s.email).Token()}
		},
		"AUTH.SOCIAL_LINK":        func(s *setup) P { return with(s.social(), "state", nil) },
		"AUTH.SOCIAL_UNLINK":      func(s *setup) P { return s.link() },
		"AUTH.VERIFY_EMAIL":       func(s *setup) P { return P{"token": s.LastMail(s.email).Token()} },
		"AUTH.SIGNUP":             func(*setup) P { return P{"invitation_token": nil} },
		"WEBAUTHN.SIGNUP_OPTIONS": func(*setup) P { return P{"invitation_token": nil} },
		"BILLING.CHECKOUT_CREATE": func(*setup) P { return P{"success_url": shopURL} },
		"BILLING.PORTAL_CREATE": func(s *setup) P {
			s.bought()
			return P{"return_url": shopURL}
		},
		"BILLING.USAGE_RECORD": func(s *setup) P {
			price := P{"product_id": s.value("product_id"), "currency": "EUR", "unit_amount": 5, "interval": "month", "model": "metered", "meter": "exports"}
			made := s.owner.Do("BILLING.PRICE_CREATE", price).OK().String("price.id")
			s.Act(s.owner.Do("BILLING.CHECKOUT_CREATE", P{"price_id": made, "success_url": shopURL}).String("checkout.url"), "pay")
			return P{"subscription_id": s.owner.Do("BILLING.SUBSCRIPTION_LIST", nil).List("items")[0]["id"]}
		},
		"BILLING.SUBSCRIPTION_RESUME": func(s *setup) P {
			s.owner.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": s.value("sub_")}).OK()
			return nil
		},
		"BILLING.COUPON_DELETE": func(s *setup) P {
			s.owner.Do("BILLING.COUPON_CREATE", P{"code": "SPRING-25", "percent_off": 25}).OK()
			return nil
		},
		"DEVICE.TRUST":         func(s *setup) P { s.factor(); return nil },
		"M2M.TOKEN":            func(*setup) P { return P{"dpop_binding": nil} }, // of a person, not of the app
		"FEATURE.DELETE":       (*setup).feature,
		"FEATURE.UPDATE":       (*setup).feature,
		"FEATURE.OVERRIDE_SET": (*setup).feature,
		"FEATURE.OVERRIDE_DELETE": func(s *setup) P {
			s.feature()
			s.owner.Do("FEATURE.OVERRIDE_SET", P{"key": "export.pdf", "user_id": s.value("usr_"), "value": true}).OK()
			return nil
		},
		"FLOW.DELETE":   (*setup).flow,
		"FLOW.BACKTEST": (*setup).flow,
		"FLOW.DISABLE": func(s *setup) P {
			params := s.flow()
			s.owner.Do("FLOW.ENABLE", P{"name": "office-hours", "force": true}).OK()
			return params
		},
		"FLOW.ENABLE":                  (*setup).flow,
		"FLOW.GET":                     (*setup).flow,
		"FLOW.ROLLBACK":                (*setup).flow,
		"FLOW.UPDATE":                  (*setup).flow,
		"FLOW.VERSION_LIST":            (*setup).flow,
		"MFA.BYPASS_CREATE":            func(s *setup) P { s.value("usr_"); enroll(s.Login("mate."+s.email, harness.Password)); return nil },
		"MFA.RECOVERY_CODE_REGENERATE": func(s *setup) P { s.factor(); return nil },
		"OAUTH.AUTHORIZE":              func(s *setup) P { return s.asking() },
		"OAUTH.REQUEST_PUSH": func(s *setup) P {
			return with(s.asking(), "client_secret", s.wiki().String("api_key"))
		},
		"OAUTH.CONSENT_DECIDE": func(s *setup) P { return P{"request_id": s.asked(), "scopes": nil} },
		"OAUTH.CONSENT_LIST":   func(*setup) P { return P{"app_id": nil} }, // or user_id
		"OAUTH.CONSENT_REVOKE": func(s *setup) P {
			s.owner.Do("OAUTH.CONSENT_DECIDE", P{"request_id": s.asked(), "approve": true}).OK()
			return P{"app_id": s.wiki().String("app.id")}
		},
		"OAUTH.CLIENT_REGISTER": func(s *setup) P {
			s.Superadmin().Do("SETTINGS.SET", P{"values": P{"client_registration": "open"}}).OK()
			return nil
		},
		"OAUTH.DEVICE_START":  func(s *setup) P { return P{"client_id": s.television(), "client_secret": nil} },
		"OAUTH.DEVICE_GET":    func(s *setup) P { return P{"user_code": s.waiting()} },
		"OAUTH.DEVICE_DECIDE": func(s *setup) P { return P{"user_code": s.waiting()} },
		"OAUTH.TOKEN": func(s *setup) P {
			answer, err := url.Parse(s.owner.Do("OAUTH.CONSENT_DECIDE", P{"request_id": s.asked(), "approve": true}).String("redirect_to"))
			if err != nil {
				s.t.Fatal(err)
			}
			return P{
				"client_id": s.wiki().String("app.slug"), "client_secret": s.wiki().String("api_key"), "code": answer.Query().Get("code"),
				"redirect_uri": wikiURL, "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "resource": nil,
			}
		},
		"OAUTH.REVOKE": func(s *setup) P {
			credentials := P{"client_id": s.value("client_id"), "client_secret": s.value("client_secret")}
			return P{"token": s.Anonymous().Do("M2M.TOKEN", credentials).String("access_token")}
		},
		"RELATION.BULK_CHECK":   (*setup).relations,
		"RELATION.CHECK":        (*setup).relations,
		"RELATION.DELETE":       (*setup).relations,
		"RELATION.EXPAND":       (*setup).relations,
		"RELATION.MODEL_GET":    (*setup).relations,
		"RELATION.OBJECT_LIST":  (*setup).relations,
		"RELATION.SUBJECT_LIST": (*setup).relations,
		"RELATION.WRITE": func(s *setup) P {
			s.relations()
			return P{"tuples": []P{{"object": "document:new", "relation": "viewer", "subject": "user:ada"}}}
		},
		"LICENSE.REINSTATE": func(s *setup) P {
			s.owner.Do("LICENSE.SUSPEND", P{"license_id": s.value("lic_")})
			return nil
		},
		"LICENSE.LEASE_ACQUIRE":    func(s *setup) P { return P{"key": s.floating().String("key")} },
		"LICENSE.LEASE_RENEW":      func(s *setup) P { return P{"key": s.floating().String("key")} },
		"LICENSE.LEASE_RELEASE":    func(s *setup) P { return P{"key": s.floating().String("key")} },
		"LICENSE.OFFLINE_CHECKOUT": (*setup).offline,
		"LICENSE.VALIDATE": func(s *setup) P {
			params := s.offline()
			s.Anonymous().Do("LICENSE.VALIDATE", P{"key": params["key"]}).OK() // makes the key that signs files
			return P{"key": params["key"], "product_id": nil, "features": nil}
		},
		"LICENSE.USAGE_INCREMENT": func(s *setup) P { return P{"key": s.floating().String("key"), "amount": 10} },
		"PERMISSION.CREATE":       func(*setup) P { return P{"permission": "docs:write"} },
		"SOCIAL.AUTH_URL":         func(*setup) P { return P{"link": nil, "redirect_uri": page} },
		"SOCIAL.TOKEN_GET":        func(s *setup) P { return s.link() },
		"TEAM.INVITATION_ACCEPT": func(s *setup) P {
			host := s.SignUpVerified("host." + s.email)
			s.DeliverMail() // notices that wait would come beside the invitation
			host.Do("TEAM.INVITE", P{"email": s.email, "role": "member"}).OK()
			return P{"token": s.LastMail(s.email).Token()}
		},
		"TEAM.BULK_INVITE": (*setup).verified,
		"TEAM.INVITE":      (*setup).verified,
		"TEAM.DELETE": func(s *setup) P {
			org := s.shared()
			return P{"org_id": org, "confirm_slug": s.owner.Do("TEAM.GET", P{"org_id": org}).String("organization.slug")}
		},
		"TEAM.ENABLE": func(s *setup) P {
			org := s.shared()
			s.root.Do("TEAM.DISABLE", P{"org_id": org}).OK()
			return P{"org_id": org}
		},
		"TEAM.LEAVE":      func(s *setup) P { return P{"org_id": s.shared()} },
		"TEAM.MEMBER_ADD": func(s *setup) P { return P{"user_id": s.SignUp("stranger." + s.email).UserID} },
		"TEAM.TRANSFER_OWNERSHIP": func(s *setup) P {
			s.enter(s.shared())
			return P{"keep_role": nil}
		},
		"TEAM.UPDATE": func(s *setup) P { return P{"slug": "team-of-" + s.name()} },
		"USER.MERGE": func(s *setup) P {
			twin := s.remembered("twin", func() *harness.Reply { return s.root.Do("USER.CREATE", P{"email": "twin." + s.email}) })
			return P{"source_user_id": twin.String("user.id")}
		},
		"USER.IDENTITY_UNLINK": func(s *setup) P { return P{"user_id": s.owner.UserID} },
		"WEBAUTHN.LOGIN_VERIFY": func(s *setup) P {
			device := s.owner.Passkey()
			return P{"challenge_id": nil, "credential": device.Sign(options(s.Anonymous(), "WEBAUTHN.LOGIN_OPTIONS", nil))}
		},
		"WEBAUTHN.REGISTER_VERIFY": func(s *setup) P {
			return P{"credential": s.Authenticator().Create(options(s.owner, "WEBAUTHN.REGISTER_OPTIONS", nil))}
		},
		"WEBAUTHN.SIGNUP_VERIFY": func(s *setup) P {
			begun := s.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": "new." + s.email, "display_name": "Newcomer"}).OK()
			return P{"challenge_id": begun.String("challenge_id"), "credential": s.Authenticator().Create(begun.Data["options"].(P))}
		},
	}
}

// verified has the owner show the address to be theirs, without which nobody invites.
func (s *setup) verified() P {
	if s.made["verified"] == nil {
		s.made["verified"] = true
		s.owner.Verify(s.email)
	}
	return nil
}

// offline is the key of a license that has files.
func (s *setup) offline() P {
	return P{"key": s.owner.Do("LICENSE.ISSUE", P{"product_id": s.value("product_id"), "offline_days": 14}).OK().String("key")}
}

// shared makes a workspace that the owner shares with their mate, and returns its id.
func (s *setup) shared() string {
	org := s.owner.Do("TEAM.CREATE", P{"name": "Shared by " + s.name()}).OK().String("organization.id")
	s.root.Do("TEAM.MEMBER_ADD", P{"user_id": s.value("usr_"), "org_id": org, "role": "owner"}).OK()
	return org
}

// enter makes a workspace the active one of the owner.
func (s *setup) enter(org string) {
	pair := s.owner.Do("TEAM.SWITCH", P{"org_id": org}).OK()
	s.owner.AccessToken, s.owner.RefreshToken, s.owner.OrgID = pair.String("access_token"), pair.String("refresh_token"), org
}

// page is registered as one that a login at a provider returns to.
const page = "https://app.example.com/done"

// relations publishes a model and writes the tuple of the examples.
func (s *setup) relations() P {
	s.owner.Do("RELATION.MODEL_SET", P{"model": "model\n  schema 1.1\ntype user\ntype document\n  relations\n    define viewer: [user]\n"}).OK()
	s.owner.Do("RELATION.WRITE", P{"tuples": []P{
		{"object": "document:1", "relation": "viewer", "subject": "user:usr_01jd7x9k2mf3q8v5t0abcdefgh"},
	}}).OK()
	return nil
}

// flow makes the flow of the examples, with two versions.
func (s *setup) flow() P {
	s.remembered("a flow", func() *harness.Reply {
		return s.owner.Do("FLOW.CREATE", P{"name": "office-hours", "template": "office-hours"})
	})
	s.owner.Do("FLOW.UPDATE", P{"name": "office-hours", "edges": []P{{"from": "start", "to": "office"}, {"from": "office", "to": "hours", "when": "false"}, {"from": "hours", "to": "closed", "when": "false"}}}).OK()
	return P{"scope": nil}
}

// feature makes the feature of the examples.
func (s *setup) feature() P {
	s.remembered("a feature", func() *harness.Reply {
		return s.owner.Do("FEATURE.CREATE", P{"key": "export.pdf", "type": "bool", "default": false})
	})
	return nil
}

// options begins what ends with a passkey.
func options(of *harness.Actor, command string, params P) P {
	return of.Do(command, params).OK().Data["options"].(P)
}

// factor enrolls a second factor of the owner.
func (s *setup) factor() *harness.App {
	if s.phone == nil {
		s.phone = enroll(s.owner)
	}
	return s.phone
}

// enroll enrolls an authenticator app, and leaves the clock where it is.
func enroll(who *harness.Actor) *harness.App {
	app := who.SetUpApp()
	who.Do("AUTH.MFA_VERIFY", P{"code": app.Code()}).OK()
	return app
}

// social brings the owner to a provider, and returns what comes back.
func (s *setup) social() P {
	s.google.Be(upstream.Person{ID: s.owner.UserID, Email: "google." + s.email, Verified: true, Name: "Ada"})
	begun := s.owner.Do("SOCIAL.AUTH_URL", P{"provider": upstream.Google, "redirect_uri": page, "link": true}).OK()
	return P{"provider": upstream.Google, "redirect_uri": page, "code": s.Browser().Open(begun.String("url")).Get("code")}
}

// link links the owner's account at a provider.
func (s *setup) link() P {
	s.owner.Do("AUTH.SOCIAL_LINK", s.social()).OK()
	return nil
}

// entitled is somebody who may call the command.
func (s *setup) entitled(r row) *harness.Actor {
	s.t.Helper()
	switch {
	case r.public():
		return s.Anonymous()
	case r.takes(access.Person):
		s.root.Do("USER.SET_SUPERADMIN", P{"user_id": s.owner.UserID, "is_superadmin": true}).OK()
		return s.owner
	default:
		return s.owner.Machine(s.name(), r.permission())
	}
}

// wikiURL is where people come back to in the application of wiki.
const wikiURL = "https://wiki.example.com/callback"

// wiki is an application that logs people in.
func (s *setup) wiki() *harness.Reply {
	return s.remembered("a wiki", func() *harness.Reply {
		return s.owner.Do("APP.REGISTER", P{"name": "Wiki", "slug": "wiki-of-" + s.name(), "type": "web", "redirect_urls": []string{wikiURL}})
	})
}

// television is an application on devices.
func (s *setup) television() string {
	return s.remembered("a television", func() *harness.Reply {
		return s.owner.Do("APP.REGISTER", P{"name": "Television", "slug": "tv-of-" + s.name(), "type": "native", "grant_types": []string{"device_code"}})
	}).String("app.slug")
}

// waiting is the user code of a device that waits.
func (s *setup) waiting() string {
	return s.Anonymous().Do("OAUTH.DEVICE_START", P{"client_id": s.television(), "scope": "openid"}).OK().String("user_code")
}

// asking is what the wiki asks for.
func (s *setup) asking() P {
	return P{
		"client_id": s.wiki().String("app.slug"), "redirect_uri": wikiURL, "response_type": "code", "scope": "openid profile",
		"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
		"resource": nil, "prompt": nil, "max_age": nil, "acr_values": nil, "login_hint": nil, "response_mode": nil, "claims": nil,
	}
}

// asked is a request of the wiki that waits for the owner.
func (s *setup) asked() string {
	return s.owner.Do("OAUTH.AUTHORIZE", given(s.asking())).String("request_id")
}

// given are parameters without those that are taken away.
func given(params P) P {
	maps.DeleteFunc(params, func(_ string, value any) bool { return value == nil })
	return params
}
