package commands_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

func TestTour(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		here, there := s.First(), s.Last()

		ada := here.SignUp()
		if !strings.HasPrefix(ada.ID, "usr_") || !strings.HasPrefix(ada.Org, "org_") || !strings.HasPrefix(ada.Refresh, "rt_") {
			t.Errorf("ids and tokens are %s, %s, %.3s…", ada.ID, ada.Org, ada.Refresh)
		}
		if got := there.As(ada, "USER.ME", nil).Text("email"); got != ada.Email {
			t.Errorf("USER.ME tells the address %q, want %q", got, ada.Email)
		}
		there.Do(instance.Login(instance.Person{Email: ada.Email, Password: "not the passphrase"})).Fails("AUTH_ERROR")

		rotated := there.Holding(ada, there.Rotate(ada.Refresh))
		if rotated.Refresh == ada.Refresh || rotated.Session != ada.Session {
			t.Errorf("AUTH.REFRESH changed the session %v, left the token %v", rotated.Session != ada.Session, rotated.Refresh == ada.Refresh)
		}

		phone := there.Again(ada)
		listed := here.As(rotated, "SESSION.LIST", nil).Items()
		if len(listed) != 2 || listed[0]["id"] != phone.Session || listed[0]["current"] != false || listed[1]["current"] != true {
			t.Errorf("SESSION.LIST = %v, want the phone's and then this one", listed)
		}
		here.As(rotated, "SESSION.REVOKE", P{"session_id": phone.Session}).OK()
		there.As(phone, "USER.ME", nil).Fails("AUTH_ERROR")
		there.Rotate(phone.Refresh).Fails("AUTH_ERROR")

		s.Restart()
		here, there = s.First(), s.Last()
		here.As(rotated, "USER.ME", nil).OK()
		rotated = here.Holding(ada, here.Rotate(rotated.Refresh))
		here.As(phone, "USER.ME", nil).Fails("AUTH_ERROR")
		there.Again(ada)

		here.As(rotated, "AUTH.LOGOUT", nil).OK()
		there.As(rotated, "USER.ME", nil).Fails("AUTH_ERROR")
		there.Rotate(rotated.Refresh).Fails("AUTH_ERROR")
	})
}

func TestResultsAreAsTheSpecificationSays(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		p := instance.Newcomer()
		made := here.Do(instance.Signup(p)).OK()
		for _, path := range []string{"user.id", "user.email", "user.display_name", "organization.id", "organization.name", "token_type"} {
			made.Text(path)
		}
		if got := made.Number("expires_in"); got != 900 {
			t.Errorf("expires_in = %d, want 900", got)
		}
		p = here.Holding(p, made)
		claims, header := instance.ClaimsOf(t, p.Access), instance.HeaderOf(t, p.Access)
		if header["typ"] != "at+jwt" || header["alg"] != "ES256" || header["kid"] == "" {
			t.Errorf("header of an access token = %v", header)
		}
		if claims["sub"] != p.ID || claims["iss"] != instance.Issuer || claims["aud"] != instance.Issuer || claims["email"] != p.Email || claims["org_id"] != p.Org {
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
		here.Do(instance.Signup(p)).Fails("VALIDATION_ERROR")
		me := here.As(p, "USER.ME", P{}).OK().Envelope.Data
		if me["id"] != p.ID || me["is_superadmin"] != false || me["display_name"] != "Somebody" {
			t.Errorf("USER.ME = %v", me)
		}
	})
}

// The printed curl must work as it stands, the secrets stay for the next start.
func TestDevelopmentInstance(t *testing.T) {
	t.Parallel()
	s := instance.Plan(t, "")
	cheap := map[string]string{"ARGON2_MEMORY_KIB": "1024", "ARGON2_TIME": "1"}
	dev := instance.Launch(t, s.Secrets, s.Directory, cheap, "dev")
	dev.Await(func() bool { return strings.Contains(dev.Out.String(), "curl") })

	greeting := dev.Out.String()
	if !strings.Contains(greeting, portOf(dev.URL)) {
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
	admin := dev.Holding(instance.Person{}, dev.Do(instance.Call{Command: "AUTH.LOGIN", Params: sent.Params}))
	if me := dev.As(admin, "USER.ME", nil); me.Value("is_superadmin") != true {
		t.Errorf("the person of the greeting is no superadmin: %s", me.Body)
	}
	ada := dev.SignUp()
	expectPrivate(t, filepath.Join(s.Directory, "data"))
	instance.Stop(dev)

	cheap["PORT"] = portOf(dev.URL) // the address is the issuer
	dev = instance.Launch(t, s.Secrets, s.Directory, cheap, "dev")
	dev.Again(ada)
	dev.As(ada, "USER.ME", nil).OK()
	dev.Do(instance.Call{Command: "AUTH.LOGIN", Params: sent.Params}).OK()
	instance.Stop(dev)

	cheap["CLOCK_OFFSET"] = "16m"
	later := instance.Launch(t, s.Secrets, s.Directory, cheap, "dev")
	later.As(ada, "USER.ME", nil).Fails("TOKEN_EXPIRED")
	ada = later.Holding(ada, later.Rotate(ada.Refresh))
	later.As(ada, "USER.ME", nil).OK()
	instance.Stop(later)
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
