package e2e_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTour(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		here, there := s.first(), s.last()

		ada := here.signUp()
		if !strings.HasPrefix(ada.id, "usr_") || !strings.HasPrefix(ada.org, "org_") || !strings.HasPrefix(ada.refresh, "rt_") {
			t.Errorf("ids and tokens are %s, %s, %.3s…", ada.id, ada.org, ada.refresh)
		}
		if got := there.as(ada, "USER.ME", nil).text("email"); got != ada.email {
			t.Errorf("USER.ME tells the address %q, want %q", got, ada.email)
		}
		there.do(login(person{email: ada.email, password: "not the passphrase"})).fails("AUTH_ERROR")

		rotated := there.holding(ada, there.rotate(ada.refresh))
		if rotated.refresh == ada.refresh || rotated.session != ada.session {
			t.Errorf("AUTH.REFRESH changed the session %v, left the token %v", rotated.session != ada.session, rotated.refresh == ada.refresh)
		}

		phone := there.again(ada)
		listed := here.as(rotated, "SESSION.LIST", nil).items()
		if len(listed) != 2 || listed[0]["id"] != phone.session || listed[0]["current"] != false || listed[1]["current"] != true {
			t.Errorf("SESSION.LIST = %v, want the phone's and then this one", listed)
		}
		here.as(rotated, "SESSION.REVOKE", P{"session_id": phone.session}).ok()
		there.as(phone, "USER.ME", nil).fails("AUTH_ERROR")
		there.rotate(phone.refresh).fails("AUTH_ERROR")

		s.restart()
		here, there = s.first(), s.last()
		here.as(rotated, "USER.ME", nil).ok()
		rotated = here.holding(ada, here.rotate(rotated.refresh))
		here.as(phone, "USER.ME", nil).fails("AUTH_ERROR")
		there.again(ada)

		here.as(rotated, "AUTH.LOGOUT", nil).ok()
		there.as(rotated, "USER.ME", nil).fails("AUTH_ERROR")
		there.rotate(rotated.refresh).fails("AUTH_ERROR")
	})
}

func TestResultsAreAsTheSpecificationSays(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		here := open(t, on).first()
		p := newcomer()
		made := here.do(signup(p)).ok()
		for _, path := range []string{"user.id", "user.email", "user.display_name", "organization.id", "organization.name", "token_type"} {
			made.text(path)
		}
		if got := made.number("expires_in"); got != 900 {
			t.Errorf("expires_in = %d, want 900", got)
		}
		p = here.holding(p, made)
		claims, header := claimsOf(t, p.access), headerOf(t, p.access)
		if header["typ"] != "at+jwt" || header["alg"] != "ES256" || header["kid"] == "" {
			t.Errorf("header of an access token = %v", header)
		}
		if claims["sub"] != p.id || claims["iss"] != issuer || claims["aud"] != issuer || claims["email"] != p.email || claims["org_id"] != p.org {
			t.Errorf("claims of an access token = %v", claims)
		}
		if claims["client_id"] != "gatehouse" || claims["email_verified"] != false {
			t.Errorf("client_id %v, email_verified %v of an access token", claims["client_id"], claims["email_verified"])
		}
		if claims["exp"].(float64)-claims["iat"].(float64) != 900 {
			t.Errorf("the access token lives %v s", claims["exp"].(float64)-claims["iat"].(float64))
		}
		for _, name := range []string{"jti", "sid", "auth_time", "amr", "roles"} {
			if claims[name] == nil {
				t.Errorf("no claim %s in %v", name, claims)
			}
		}
		here.do(signup(p)).fails("VALIDATION_ERROR")
		me := here.as(p, "USER.ME", P{}).ok().envelope.Data
		if me["id"] != p.id || me["is_superadmin"] != false || me["display_name"] != "Somebody" {
			t.Errorf("USER.ME = %v", me)
		}
	})
}

// The printed curl must work as it stands, the secrets stay for the next start.
func TestDevelopmentInstance(t *testing.T) {
	t.Parallel()
	s := plan(t, "")
	cheap := map[string]string{"ARGON2_MEMORY_KIB": "1024", "ARGON2_TIME": "1"}
	dev := launch(t, s.secrets, s.directory, cheap, "dev")
	dev.await(func() bool { return strings.Contains(dev.out.String(), "curl") })

	greeting := dev.out.String()
	if !strings.Contains(greeting, portOf(dev.url)) {
		t.Errorf("the greeting does not tell where it listens:\n%s", greeting)
	}
	body := regexp.MustCompile(`-d '(\{.*\})'`).FindStringSubmatch(greeting)
	if body == nil {
		t.Fatalf("no curl that could be tried:\n%s", greeting)
	}
	var sent struct {
		Params P `json:"params"`
	}
	if err := json.Unmarshal([]byte(body[1]), &sent); err != nil {
		t.Fatalf("the body of the curl: %v", err)
	}
	admin := dev.holding(person{}, dev.do(call{command: "AUTH.LOGIN", params: sent.Params}))
	if me := dev.as(admin, "USER.ME", nil); me.value("is_superadmin") != true {
		t.Errorf("the person of the greeting is no superadmin: %s", me.body)
	}
	ada := dev.signUp()
	expectPrivate(t, filepath.Join(s.directory, "data"))
	stop(dev)

	cheap["PORT"] = portOf(dev.url) // the address is the issuer
	dev = launch(t, s.secrets, s.directory, cheap, "dev")
	dev.again(ada)
	dev.as(ada, "USER.ME", nil).ok()
	dev.do(call{command: "AUTH.LOGIN", params: sent.Params}).ok()
	stop(dev)

	cheap["CLOCK_OFFSET"] = "16m"
	later := launch(t, s.secrets, s.directory, cheap, "dev")
	later.as(ada, "USER.ME", nil).fails("TOKEN_EXPIRED")
	ada = later.holding(ada, later.rotate(ada.refresh))
	later.as(ada, "USER.ME", nil).ok()
	stop(later)
}

func portOf(url string) string { return url[strings.LastIndex(url, ":")+1:] }

// expectPrivate fails the test when others could read a development secret.
func expectPrivate(t *testing.T, directory string) {
	t.Helper()
	for _, name := range []string{"jwt_secret", "admin_password"} {
		info, err := os.Stat(filepath.Join(directory, name))
		if err != nil || info.Mode().Perm() != fs.FileMode(0o600) {
			t.Errorf("%s: %v, %v, want a file that only its owner reads", name, info, err)
		}
	}
}
