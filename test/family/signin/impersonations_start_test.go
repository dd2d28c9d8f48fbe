package signin_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

// acting is support at work: who acts, whom as, and by what.
type acting struct {
	*harness.Service

	root, ada *harness.Actor
	// as is the impersonation, id its identifier.
	as *harness.Actor
	id string
}

// act begins an impersonation of somebody who just signed up.
func act(h *harness.Service, more P) acting {
	a := acting{Service: h, root: h.Superadmin(), ada: h.SignUp("ada@example.com")}
	a.begin(more)
	return a
}

// begin acts as ada anew.
func (a *acting) begin(more P) *harness.Reply {
	params := P{"user_id": a.ada.UserID, "reason": "Ticket 4711"}
	for name, value := range more {
		params[name] = value
	}
	begun := a.root.Do("IMPERSONATION.START", params).OK()
	a.as, a.id = a.With(begun.String("access_token")), begun.String("impersonation.id")
	a.as.UserID = a.ada.UserID
	return begun
}

// claimsOf reads the claims of a token.
func claimsOf(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{}
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

// An access token alone, which names both and says that nobody proved presence.
func TestImpersonationToken(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		begun := a.begin(P{"ttl_minutes": 20, "read_only": true})
		if begun.Has("refresh_token") || begun.Int("expires_in") != 20*60 {
			t.Errorf("answered %v", begun.Data)
		}
		claims := claimsOf(t, begun.String("access_token"))
		if actor, _ := claims["act"].(map[string]any); actor["sub"] != a.root.UserID || claims["sub"] != a.ada.UserID || claims["org_id"] != a.ada.OrgID {
			t.Errorf("claims %v", claims)
		}
		for _, absent := range []string{"auth_time", "acr"} {
			if _, there := claims[absent]; there {
				t.Errorf("the token says %s: %v", absent, claims[absent])
			}
		}
		if life := claims["exp"].(float64) - claims["iat"].(float64); life != 20*60 {
			t.Errorf("the token lasts %v seconds", life)
		}
		who := a.as.Do("AUTH.WHOAMI", nil).OK()
		if who.String("subject") != a.ada.UserID || who.String("kind") != "impersonation" || who.String("actor_id") != a.root.UserID || !who.Bool("read_only") || who.Data["auth_time"] != nil {
			t.Errorf("AUTH.WHOAMI = %v", who.Data)
		}
		if me := a.as.Do("USER.ME", nil).OK(); me.String("id") != a.ada.UserID || me.String("email") != "ada@example.com" {
			t.Errorf("USER.ME = %v", me.Data)
		}
		if info := a.as.Do("OAUTH.USERINFO", nil).OK(); info.String("sub") != a.ada.UserID || info.String("claims.act.sub") != a.root.UserID {
			t.Errorf("OAUTH.USERINFO = %v", info.Data)
		}
		if info := a.ada.Do("OAUTH.USERINFO", nil).OK(); info.Has("claims.act") {
			t.Errorf("OAUTH.USERINFO of the person = %v", info.Data)
		}
		api := a.ada.Machine("api", "tokens:introspect")
		if seen := api.Do("OAUTH.INTROSPECT", P{"token": a.as.AccessToken}).OK(); !seen.Bool("active") || seen.String("act.sub") != a.root.UserID || seen.String("sub") != a.ada.UserID {
			t.Errorf("OAUTH.INTROSPECT = %v", seen.Data)
		}
		held := a.ada.Do("SESSION.LIST", nil).OK().List("items")
		if len(held) != 3 || held[0]["acted_by"] != a.root.UserID || held[0]["id"] != begun.String("impersonation.session_id") || held[2]["acted_by"] != nil {
			t.Errorf("SESSION.LIST = %v", held)
		}
	})
}

// The person is told, by mail too and not where from.
func TestImpersonatedPersonIsNotified(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		items := a.ada.Do("NOTIFICATION.LIST", nil).OK().List("items")
		if len(items) != 1 || items[0]["kind"] != "impersonation_started" || items[0]["ip"] != "" || items[0]["vital"] != true {
			t.Errorf("told %v", items)
		}
		letters := a.Mail("ada@example.com")
		last := letters[len(letters)-1]
		if !strings.Contains(last.Text, "/account/sessions/support") || !strings.Contains(last.Text, "This ends on") || strings.Contains(last.Text, "4711") {
			t.Errorf("mailed %s", last.Text)
		}
		started := a.Events("impersonation.started")
		if len(started) != 1 || started[0].UserID != a.ada.UserID || started[0].OrgID != a.ada.OrgID || started[0].Origin.ActorID != a.root.UserID || strings.Contains(string(started[0].Data), "4711") {
			t.Errorf("events %+v", started)
		}
		for _, kind := range []string{"session.created", "login.succeeded"} {
			for _, e := range a.Events(kindOf(kind)) {
				if e.UserID == a.ada.UserID && e.Origin.ActorID == a.root.UserID {
					t.Errorf("%s tells of the impersonation, too", kind)
				}
			}
		}
	})
}

// Who holds the permission in person, and nobody else; and not as anybody.
func TestWhoImpersonatesWhom(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		bob := h.SignUp("bob@example.com")
		start := func(who *harness.Actor, whom string) *harness.Reply {
			return who.Do("IMPERSONATION.START", P{"user_id": whom, "reason": "r"})
		}
		start(a.ada, bob.UserID).Fails(fault.Denied) // the owner of a workspace
		start(a.as, bob.UserID).Fails(fault.Denied)
		key := a.root.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"users:impersonate"}}).OK().String("key")
		start(h.With(key), bob.UserID).Fails(fault.Denied)
		start(a.root.Machine("support", "users:impersonate"), bob.UserID).Fails(fault.Denied)
		start(a.root, a.root.UserID).Fails(fault.Validation).Field("/user_id")
		start(a.root, "usr_01h455vb4pex5vsknk084sn02q").Fails(fault.NotFound)
		other := h.SignUp("other@example.com")
		a.root.Do("USER.SET_SUPERADMIN", P{"user_id": other.UserID, "is_superadmin": true}).OK()
		start(a.root, other.UserID).Fails(fault.Denied)
		a.root.Do("USER.DISABLE", P{"user_id": bob.UserID}).OK()
		start(a.root, bob.UserID).Fails(fault.Denied)
		for _, reason := range []any{"", " ", nil, strings.Repeat("r", 501)} {
			a.root.Do("IMPERSONATION.START", P{"user_id": a.ada.UserID, "reason": reason}).Fails(fault.Validation)
		}
		a.root.Do("IMPERSONATION.START", P{"user_id": a.ada.UserID, "reason": "r", "ttl_minutes": 61}).Fails(fault.Validation).Field("/ttl_minutes")
		h.Clock.Advance(access.RecentFor + time.Minute)
		a.root.AccessToken = h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": a.root.RefreshToken}).OK().String("access_token")
		start(a.root, a.ada.UserID).Fails(fault.Auth)
	})
}

// Support sees the other workspaces of the person, as the person does.
func TestImpersonationInAnotherWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		team := a.ada.Do("TEAM.CREATE", P{"name": "Team"}).OK().String("organization.id")
		foreign := h.SignUp("bob@example.com").OrgID
		if seen := a.as.Do("TEAM.LIST", nil).OK().List("items"); len(seen) != 2 {
			t.Errorf("TEAM.LIST = %v", seen)
		}
		a.as.Do("TEAM.LIST_MEMBERS", P{"org_id": team}).OK()
		a.as.Do("TEAM.LIST_MEMBERS", P{"org_id": foreign}).Fails(fault.NotFound)
		a.as.Do("TEAM.SWITCH", P{"org_id": team}).Fails(fault.Denied)
		// Nothing of the instance, though the actor holds all of it.
		a.as.Do("SETTINGS.GET", nil).Fails(fault.Denied)
		a.as.Do("SESSION.SEARCH", nil).Fails(fault.Denied)
	})
}

// A retry is answered again; the person's own calls under the same key are others'.
func TestImpersonationAndIdempotencyKeys(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		params := P{"display_name": "Ada L."}
		a.ada.Idempotent("k").Do("USER.UPDATE", params).OK()
		if got := a.as.Idempotent("k").Do("USER.UPDATE", params).OK(); got.Replayed {
			t.Error("the person's answer was given to somebody else")
		}
		stop := a.as.Idempotent("s")
		stop.Do("IMPERSONATION.STOP", nil).OK()
		if again := stop.Do("IMPERSONATION.STOP", nil).OK(); !again.Replayed {
			t.Error("the stop was not answered again")
		}
		a.as.Do("IMPERSONATION.STOP", nil).Fails(fault.Auth)
		keyed := a.root.Idempotent("start")
		first := keyed.Do("IMPERSONATION.START", P{"user_id": a.ada.UserID, "reason": "r"}).OK()
		again := keyed.Do("IMPERSONATION.START", P{"user_id": a.ada.UserID, "reason": "r"}).OK()
		if !again.Replayed || again.String("access_token") != first.String("access_token") {
			t.Errorf("a retry of the start answered %v", again.Data)
		}
	})
}

// Whoever may only do what is required of them, or has locked themselves out, is helped, too.
func TestImpersonationOfWhoCannotSignIn(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		a.root.Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": a.ada.UserID, "actions": []user.Action{user.ChangePassword}}).OK()
		a.begin(nil)
		a.as.Do("USER.ME", nil).OK()
		a.as.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": "quite another battery"}).Fails(fault.Denied)
	})
}
