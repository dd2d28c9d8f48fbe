package login_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/password"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/test/harness"
)

// recording remembers as slow as which forms it was to answer.
type recording struct {
	crypt.Passwords

	forms []string
}

func (p *recording) Verify(ctx context.Context, hash string, plain secret.String, forms ...string) (crypt.PasswordVerdict, error) {
	p.forms = append(p.forms, strings.Join(forms, " "))
	return p.Passwords.Verify(ctx, hash, plain, forms...)
}

// Whoever a login is for, it is answered as late as one of an imported account, from the
// first import to the last.
func TestImportedHashesSlowEveryLogin(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, h *harness.Service, root, alice *harness.Actor) {
		hasher, err := password.New(password.Settings{Memory: 1024, Time: 1, Threads: 1}, system.Random{})
		if err != nil {
			t.Fatal(err)
		}
		hashed := func() string {
			t.Helper()
			recorded := &recording{Passwords: hasher}
			s := service(h, recorded)
			for _, to := range []string{address, "unknown@example.com", "locked@example.com", "bare@example.com", "imported@example.com"} {
				parsed, err := email.Parse(to)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.ByPassword(t.Context(), command.Call{}, login.Attempt{Email: parsed, Password: secret.New("wrong")}); fault.From(err).Code != fault.Auth {
					t.Errorf("%s: %v", to, err)
				}
			}
			if len(recorded.forms) != 5 || len(slices.Compact(slices.Clone(recorded.forms))) != 1 {
				t.Errorf("logins are as slow as %q", recorded.forms)
			}
			return recorded.forms[0]
		}
		h.SignUp("locked@example.com")
		for range 10 {
			h.Anonymous().Do("AUTH.LOGIN", P{"email": "locked@example.com", "password": "wrong"}).Fails(fault.Auth)
		}
		root.Do("USER.CREATE", P{"email": "bare@example.com"}).OK()
		made := root.Do("USER.CREATE", P{"email": "imported@example.com"}).OK().String("user.id")
		const ours = "$argon2id$v=19$m=1024,t=1,p=1$22$43"
		if got := hashed(); got != ours {
			t.Errorf("at first logins are as slow as %q", got)
		}
		const bcrypt = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
		root.Do("USER.SET_PASSWORD", P{"user_id": made, "hash": bcrypt}).OK()
		if got, want := hashed(), fmt.Sprintf("$2a$05$53 %s", ours); got != want {
			t.Errorf("after the import logins are as slow as %q, want %q", got, want)
		}
		// The first login of its owner replaces it.
		h.Anonymous().Do("AUTH.LOGIN", P{"email": "imported@example.com", "password": "U*U"}).OK()
		if got := hashed(); got != ours {
			t.Errorf("after the upgrade logins are as slow as %q", got)
		}
	})
}
