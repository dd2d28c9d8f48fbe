package signin_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// What is done meanwhile is the actor's, on behalf of the person, wherever it is read.
func TestTheTrueActorIsLogged(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		a.as.Do("USER.UPDATE", P{"display_name": "Ada L."}).OK()
		a.as.Do("GROUP.DELETE", P{"group_id": "grp_01h455vb4pex5vsknk084sn02q"}).Fails(fault.Denied)
		stored := h.Events("user.updated")[0].Origin
		if stored.ActorID != a.root.UserID || stored.OnBehalfOf != a.ada.UserID || stored.ActorKind != "user" {
			t.Errorf("stored %+v", stored)
		}
		ofRoot := a.root.Do("AUDIT.SEARCH", P{"actor_id": a.root.UserID, "type": "user.updated"}).OK().List("items")
		if len(ofRoot) != 1 || ofRoot[0]["actor"].(P)["id"] != a.root.UserID || ofRoot[0]["actor"].(P)["on_behalf_of"] != a.ada.UserID || ofRoot[0]["user_id"] != a.ada.UserID {
			t.Errorf("AUDIT.SEARCH of the actor = %v", ofRoot)
		}
		mine := a.ada.Do("AUDIT.SEARCH", P{"type": "user.updated"}).OK().List("items")
		if len(mine) != 1 || mine[0]["actor"].(P)["id"] != a.root.UserID {
			t.Errorf("AUDIT.SEARCH of the person = %v", mine)
		}
		a.ada.Do("USER.UPDATE", P{"display_name": "Ada"}).OK()
		own := a.ada.Do("AUDIT.SEARCH", P{"type": "user.updated"}).OK().List("items")
		if own[0]["actor"].(P)["on_behalf_of"] != nil || own[0]["actor"].(P)["id"] != a.ada.UserID {
			t.Errorf("what the person does is logged as %v", own[0]["actor"])
		}
	})
}

// A job that was started meanwhile acts in the name of the actor, too.
func TestJobsOfImpersonations(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		job := a.as.Do("AUDIT.EXPORT", P{"from": h.Clock.Now().AddDate(0, 0, -1), "to": h.Clock.Now(), "format": "csv"}).OK().String("job_id")
		a.as.Do("JOB.GET", P{"job_id": job}).OK()
		a.as.Do("IMPERSONATION.STOP", nil).OK()
		h.RunJobs()
		done := h.Events("audit.exported")
		if len(done) != 1 || done[0].Origin.ActorID != a.root.UserID || done[0].Origin.OnBehalfOf != a.ada.UserID {
			t.Errorf("exported by %+v", done)
		}
		a.ada.Do("JOB.GET", P{"job_id": job}).OK()
		a.root.Do("AUDIT.VERIFY", nil).OK()
	})
}

// Everybody sees what concerns them, and what concerns others with the permission alone.
func TestImpersonationList(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		bob := h.SignUp("bob@example.com")
		ids := []string{a.id}
		for i := range 3 {
			a.begin(P{"reason": fmt.Sprintf("Ticket %d", i)})
			ids = append(ids, a.id)
		}
		a.root.Do("IMPERSONATION.STOP", P{"impersonation_id": ids[0]}).OK()
		counts := func(what string, who *harness.Actor, params P, want int) []P {
			t.Helper()
			found := who.Do("IMPERSONATION.LIST", params).OK().List("items")
			if len(found) != want {
				t.Errorf("%s: %d, want %d", what, len(found), want)
			}
			return found
		}
		all := counts("of the person", a.ada, nil, 4)
		first := all[3]
		if all[0]["id"] != a.id || all[0]["reason"] != "Ticket 2" || all[0]["active"] != true || all[0]["ended_at"] != nil || all[0]["actor_id"] != a.root.UserID {
			t.Errorf("listed %v", all[0])
		}
		if first["active"] != false || first["ended_by"] != "stopped_by_actor" || first["ended_at"] == nil {
			t.Errorf("listed %v", first)
		}
		counts("of the actor", a.root, P{"actor_id": a.root.UserID}, 4)
		counts("of anybody", a.root, nil, 4)
		counts("that go on", a.root, P{"active": true}, 3)
		counts("that do not", a.ada, P{"active": false}, 1)
		counts("by support as the person", a.as, nil, 4)
		counts("of others, by a stranger", bob, P{"user_id": a.ada.UserID}, 0)
		counts("of a stranger", bob, nil, 0)
		key := a.root.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"users:impersonate"}}).OK().String("key")
		counts("by a key that may", h.With(key), P{"user_id": a.ada.UserID}, 4)
		counts("by an app that may", a.root.Machine("support", "users:impersonate"), nil, 4)
		a.ada.Machine("mine", "users:read").Do("IMPERSONATION.LIST", nil).Fails(fault.Denied)

		page := a.ada.Do("IMPERSONATION.LIST", P{"limit": 3}).OK()
		rest := a.ada.Do("IMPERSONATION.LIST", P{"limit": 3, "cursor": page.String("next_cursor")}).OK()
		if items := rest.List("items"); len(items) != 1 || items[0]["id"] != ids[0] || rest.Data["next_cursor"] != nil {
			t.Errorf("the last page is %v", rest.Data)
		}
		a.ada.Do("IMPERSONATION.LIST", P{"cursor": page.String("next_cursor"), "active": true}).Fails(fault.Validation)
	})
}

// An impersonation that only reads changes nothing, and can be stopped by its own token.
func TestReadOnlyImpersonation(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, P{"read_only": true})
		a.as.Do("USER.ME", nil).OK()
		refused := a.as.Do("USER.UPDATE", P{"display_name": "Eve"}).Fails(fault.Denied)
		if !strings.Contains(refused.Failure.Message, "read_only") {
			t.Errorf("refused with %v", refused.Failure)
		}
		a.as.DryRun().Do("USER.UPDATE", P{"display_name": "Eve"}).Fails(fault.Denied)
		a.as.Do("USER.UPDATE", P{"no_such": 1}).Fails(fault.Denied)
		h.SignUp("eve@example.com")
		a.as.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail("eve@example.com").Token()}).Fails(fault.Denied)
		a.as.Do("AUDIT.EXPORT", P{"from": h.Clock.Now().AddDate(0, 0, -1), "to": h.Clock.Now(), "format": "csv"}).Fails(fault.Denied)
		a.as.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).OK()
	})
}

// Ways to a lasting credential, and ways that a credential is honored by without being asked for.
func TestImpersonationOpensNoOtherDoor(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		slug := a.ada.Do("APP.REGISTER", P{"name": "wiki", "slug": "wiki", "type": "spa", "redirect_urls": []string{"http://localhost:1/cb"}}).OK().String("app.slug")
		asked := P{
			"client_id": slug, "redirect_uri": "http://localhost:1/cb", "response_type": "code", "scope": "openid",
			"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
		}
		a.as.Do("OAUTH.AUTHORIZE", asked).Fails(fault.Denied)
		a.as.Do("OAUTH.CLIENT_REGISTER", P{"client_name": "x", "redirect_uris": []string{"http://localhost:1/cb"}}).Fails(fault.Denied)
		a.as.Do("AUTH.MFA_VERIFY", P{"code": "123456"}).Fails(fault.Denied)
		a.as.Do("SOCIAL.AUTH_URL", P{"provider": "google", "redirect_uri": "http://localhost:1/cb", "link": true}).Fails(fault.Denied)
		a.as.Do("OAUTH.TOKEN", P{
			"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": slug,
			"subject_token": a.as.AccessToken, "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
		}).Fails(fault.Validation)
		a.as.Do("AUTH.LOGOUT", nil).Fails(fault.Denied)
		a.as.Do("USER.DELETE", nil).Fails(fault.Denied)
		a.as.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": h.Clock.Now().AddDate(0, 0, 1)}).Fails(fault.Denied)
		a.as.Do("USER.ME", nil).OK()

		// A mailed link that is opened with the token binds the address to nobody.
		bob := h.SignUp("bob@example.com")
		mailed := h.LastMail("bob@example.com").Token()
		begun := a.root.Do("IMPERSONATION.START", P{"user_id": bob.UserID, "reason": "r"}).OK()
		h.With(begun.String("access_token")).Do("AUTH.VERIFY_EMAIL", P{"token": mailed}).OK()
		if bound := a.root.Do("USER.GET", P{"user_id": bob.UserID}).OK(); bound.Data["email_bound"] == true {
			t.Errorf("USER.GET = %v", bound.Data)
		}
	})
}
