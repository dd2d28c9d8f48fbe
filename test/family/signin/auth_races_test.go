package signin_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/family/auth"
	signinlogin "gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/test/harness"
)

// hesitant lets something happen between the reading and the storing of a rotation.
type hesitant struct {
	people.Rotations

	meanwhile func()
}

func (r *hesitant) Read(ctx context.Context, id session.ID) (outbound.Identity, error) {
	identity, err := r.Rotations.Read(ctx, id)
	if r.meanwhile != nil {
		happens := r.meanwhile
		r.meanwhile = nil
		happens()
	}
	return identity, err
}

const jwtSecret = "Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3kq9"

// hesitating is AUTH.REFRESH, during which something happens: after it read the
// session itself, or after the admission of the call did.
func hesitating(t *testing.T, h *harness.Service, presented string, admitted bool, meanwhile func()) (token.Pair, error) {
	t.Helper()
	s := &auth.Service{
		Rotations: &hesitant{Rotations: h.Store.Rotations(), meanwhile: meanwhile},
		Refresh:   &token.Refresh{Key: mac.New(cipher.Derive([]byte(jwtSecret), "gatehouse refresh tokens", 32)), Random: system.Random{}},
		Login:     &signinlogin.Service{Books: h.Engine.Books},
		Access:    h.Engine.Access, Instance: h.Engine.Instance, Clock: h.Clock,
	}
	call := command.Call{Enter: func(context.Context, workspace.ID) error { return nil }}
	if of, _, err := s.Refresh.Read(secret.New(presented)); err == nil && admitted {
		known, err := s.Rotations.Read(t.Context(), of) // during which it happens
		if err != nil {
			t.Fatal(err)
		}
		call.Session = &known
	}
	for _, d := range s.Commands() {
		if d.Name == "AUTH.REFRESH" {
			answer, err := d.Handle(t.Context(), call, auth.RefreshParams{RefreshToken: secret.New(presented)})
			pair, _ := answer.(token.Pair)
			return pair, err
		}
	}
	t.Fatal("there is no AUTH.REFRESH")
	return token.Pair{}, nil
}

// Whatever ends a session while one of its tokens is being rotated wins: nothing
// that the rotation hands out is alive.
func TestRefreshLosesToAnEnd(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database, "JWT_SECRET="+jwtSecret)
		root := h.Superadmin()
		for name, end := range map[string]func(a *harness.Actor) *harness.Reply{
			"logout": func(a *harness.Actor) *harness.Reply { return a.Do("AUTH.LOGOUT", nil) },
			"revoke": func(a *harness.Actor) *harness.Reply {
				return root.Do("SESSION.BULK_REVOKE", P{"user_id": a.UserID})
			},
			"delete":  func(a *harness.Actor) *harness.Reply { return root.Do("USER.DELETE", P{"user_id": a.UserID}) },
			"disable": func(a *harness.Actor) *harness.Reply { return root.Do("USER.DISABLE", P{"user_id": a.UserID}) },
			"password": func(a *harness.Actor) *harness.Reply {
				return root.Do("USER.SET_PASSWORD", P{"user_id": a.UserID, "password": "quite another battery"})
			},
		} {
			for _, admitted := range []bool{true, false} {
				endWins(t, h, fmt.Sprintf("%s.%t", name, admitted), admitted, end)
			}
		}
	})
}

// endWins lets a session end amid its rotation, and amid a retry of that.
func endWins(t *testing.T, h *harness.Service, name string, admitted bool, end func(*harness.Actor) *harness.Reply) {
	t.Helper()
	person := h.SignUp(name + "@example.com")
	before := len(h.Events(session.KindRefreshed))
	_, err := hesitating(t, h, person.RefreshToken, admitted, func() { end(person).OK() })
	if !errors.Is(err, session.ErrRefresh) {
		t.Errorf("%s: the refresh = %v, want ErrRefresh", name, err)
	}
	if after := len(h.Events(session.KindRefreshed)); after != before {
		t.Errorf("%s: an ended session was refreshed", name)
	}
	refresh(h, person.RefreshToken).Fails(fault.Auth)

	// A retry stores nothing that could collide; its tokens are dead.
	retried := h.SignUp("retried." + name + "@example.com")
	refresh(h, retried.RefreshToken).OK()
	pair, err := hesitating(t, h, retried.RefreshToken, admitted, func() { end(retried).OK() })
	if err != nil {
		return
	}
	shown := revealed(t, pair)
	if shown.Access == "" {
		t.Fatalf("%s: the pair is empty", name)
	}
	h.With(shown.Access).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	refresh(h, shown.Refresh).Fails(fault.Auth)
}

type shown struct {
	Access    string `json:"access_token"`
	Refresh   string `json:"refresh_token"`
	ExpiresIn int    `json:"expires_in"`
	TokenType string `json:"token_type"`
}

// revealed is the pair as its owner gets it.
func revealed(t *testing.T, pair token.Pair) shown {
	t.Helper()
	raw, err := strictjson.Encode(pair)
	if err != nil {
		t.Fatal(err)
	}
	var s shown
	if err := strictjson.Decode(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Of two rotations of one token the second finds the first one's successor; one
// that comes when that is used already has leaked.
func TestRefreshesMeet(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.Postgres(t), "JWT_SECRET="+jwtSecret)
	for i, admitted := range []bool{true, false} {
		alice, bob := h.SignUp(fmt.Sprintf("alice%d@example.com", i)), h.SignUp(fmt.Sprintf("bob%d@example.com", i))
		var other string
		pair, err := hesitating(t, h, alice.RefreshToken, admitted, func() { other = refresh(h, alice.RefreshToken).OK().String("refresh_token") })
		if err != nil || revealed(t, pair).Refresh != other {
			t.Errorf("two rotations: %v, or other successors", err)
		}
		if n := len(h.Events(session.KindRefreshed)); n != 1+3*i {
			t.Errorf("%d events session.refreshed, want %d", n, 1+3*i)
		}
		_, err = hesitating(t, h, bob.RefreshToken, admitted, func() {
			refresh(h, refresh(h, bob.RefreshToken).OK().String("refresh_token")).OK()
		})
		if !errors.Is(err, session.ErrReused) {
			t.Errorf("a token whose successor was used = %v, want ErrReused", err)
		}
		bob.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	}
}

// Refreshes and a logout at once leave nothing alive.
func TestRefreshesAgainstLogout(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		for range 5 {
			here.Clock.Advance(1)
			alice := here.SignUp("alice" + here.Clock.Now().Format("150405.000000000") + "@example.com")
			replies := harness.Together(8, func(i int) *harness.Reply {
				if i == 4 {
					return here.With(alice.AccessToken).Do("AUTH.LOGOUT", nil)
				}
				return refresh([]*harness.Service{here, there}[i%2], alice.RefreshToken)
			})
			replies[4].OK()
			for i, r := range replies {
				if i == 4 || r.Failure != nil {
					continue
				}
				here.With(r.String("access_token")).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
				refresh(there, r.String("refresh_token")).Fails(fault.Auth)
			}
		}
	})
}
