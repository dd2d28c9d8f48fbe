package people_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/test/harness"
)

// atOnce runs calls in parallel and returns how many succeeded.
func atOnce(calls ...func() *harness.Reply) int {
	var all sync.WaitGroup
	succeeded := make([]bool, len(calls))
	for i, call := range calls {
		all.Go(func() { succeeded[i] = call().Failure == nil })
	}
	all.Wait()
	n := 0
	for _, ok := range succeeded {
		if ok {
			n++
		}
	}
	return n
}

// A login that is about to commit is seen by whatever ends the sessions of its
// account: here it waits, open, until the other command has met it.
func TestNoLoginSlipsThrough(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		for name, ends := range map[string]func(person *harness.Actor) *harness.Reply{
			"set": func(p *harness.Actor) *harness.Reply {
				return root.Do("USER.SET_PASSWORD", P{"user_id": p.UserID, "password": strongPW})
			},
			"disable": func(p *harness.Actor) *harness.Reply { return root.Do("USER.DISABLE", P{"user_id": p.UserID}) },
			"delete":  func(p *harness.Actor) *harness.Reply { return root.Do("USER.DELETE", P{"user_id": p.UserID}) },
			"change": func(p *harness.Actor) *harness.Reply {
				return p.Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW))
			},
			"import": func(p *harness.Actor) *harness.Reply {
				return root.Do("USER.BULK_IMPORT", P{"users": []P{{"email": "import@example.com", "password_hash": bcryptHash}}, "on_conflict": "update"})
			},
		} {
			person := h.SignUp(name + "@example.com")
			opened, met := make(chan session.ID), make(chan struct{})
			go func() {
				defer close(met)
				<-opened
				ends(person).OK()
			}()
			id := slowLogin(t, h, person, func(id session.ID) {
				opened <- id
				select {
				case <-met:
				case <-time.After(300 * time.Millisecond):
				}
			})
			<-met
			if live(t, h, id) {
				t.Errorf("%s left a login alive", name)
			}
		}
	})
}

// A login that begins to wait for a second factor meets that too.
func TestNoWaitingLoginSlipsThrough(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		person := h.SignUp("waiting@example.com")
		person.EnrollApp()
		ended, entered := make(chan struct{}), make(chan *harness.Reply, 1)
		go func() {
			<-ended
			entered <- h.Anonymous().Do("AUTH.LOGIN", P{"email": "waiting@example.com", "password": harness.Password})
		}()
		err := loginUnit(h).Do(t.Context(), func(tx loginRepos) error {
			u, err := tx.users.ByID(t.Context(), user.ID(person.UserID))
			if err != nil {
				return err
			}
			u.Disable("", time.Time{}, h.Clock.Now())
			if err := tx.users.Save(t.Context(), u); err != nil {
				return err
			}
			close(ended)
			time.Sleep(300 * time.Millisecond)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		(<-entered).Fails(fault.Auth)
	})
}

type loginRepos struct {
	users    people.Users
	sessions people.Sessions
}

func loginUnit(h *harness.Service) outbound.Unit[loginRepos] {
	return sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) loginRepos { return loginRepos{peoplestore.Users(tx), peoplestore.Sessions(tx)} })
}

// slowLogin stores what a login does and hesitates before it commits, once.
func slowLogin(t *testing.T, h *harness.Service, person *harness.Actor, hesitate func(session.ID)) session.ID {
	t.Helper()
	var id session.ID
	var once sync.Once
	err := loginUnit(h).Do(t.Context(), func(tx loginRepos) error {
		id = session.NewID(system.IDs{})
		u, err := tx.users.ByID(t.Context(), user.ID(person.UserID))
		if err != nil {
			return err
		}
		u.LoggedIn(h.Clock.Now())
		if err := tx.users.Save(t.Context(), u); err != nil {
			return err
		}
		begun := session.Begin(session.Start{
			ID: id, UserID: u.ID(), OrgID: workspace.ID(person.OrgID), AMR: []string{"pwd"}, Policy: policy.Defaults().Session,
		}, h.Clock.Now())
		if err := tx.sessions.Save(t.Context(), begun); err != nil {
			return err
		}
		once.Do(func() { hesitate(id) })
		return nil
	})
	if err != nil {
		t.Errorf("the login: %v", err)
	}
	return id
}

// live reports whether a session holds.
func live(t *testing.T, h *harness.Service, id session.ID) bool {
	t.Helper()
	active := false
	err := loginUnit(h).Do(t.Context(), func(tx loginRepos) error {
		found, err := tx.sessions.ByID(t.Context(), id)
		active = err == nil && found.Active(h.Clock.Now())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return active
}

func TestSuperadminsCannotEndEachOther(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, other := h.Superadmin(), h.SignUp("other@example.com")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": other.UserID, "is_superadmin": true}).OK()
		for range 5 {
			atOnce(
				func() *harness.Reply { return root.Do("USER.DISABLE", P{"user_id": other.UserID}) },
				func() *harness.Reply { return other.Do("USER.DISABLE", P{"user_id": root.UserID}) },
				func() *harness.Reply {
					return root.Do("USER.SET_SUPERADMIN", P{"user_id": other.UserID, "is_superadmin": false})
				},
				func() *harness.Reply { return other.Do("USER.DELETE", P{"user_id": root.UserID}) },
				func() *harness.Reply { return root.Do("USER.DELETE", P{"password": harness.Password}) },
			)
		}
		left := root
		if root.Do("USER.ME", nil).Failure != nil {
			left = other
		}
		if !left.Do("USER.ME", nil).OK().Bool("is_superadmin") {
			t.Error("nobody administers the instance")
		}
	})
}

func TestOwnersCannotLeaveTogether(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		for i := range 4 {
			first, second := h.SignUp(fmt.Sprintf("a%d@example.com", i)), h.SignUp(fmt.Sprintf("b%d@example.com", i))
			org := team(t, h, first.UserID, second.UserID)
			out := func(person *harness.Actor) func() *harness.Reply {
				return func() *harness.Reply {
					return root.Do("USER.UNSET_ROLE", P{"user_id": person.UserID, "org_id": org, "role": "owner"})
				}
			}
			gone := func() *harness.Reply { return root.Do("USER.DELETE", P{"user_id": second.UserID}) }
			calls := [][]func() *harness.Reply{{out(first), out(second)}, {out(first), gone}}[i%2]
			if n := atOnce(calls...); n != 1 {
				t.Errorf("%d of two owners left", n)
			}
		}
	})
}
