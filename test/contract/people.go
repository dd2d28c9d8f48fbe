package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// like mints an identifier of the kind of an example.
func like[K id.Kind](w *world, _ id.ID[K]) id.ID[K] { return id.New[K](w.ids) }

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// person stores an account and returns a copy of it as it was read back.
func (w *world) person(t *testing.T, mail string) *user.User {
	t.Helper()
	made := user.New(like(w, user.ID("")), address(t, mail), "Ada Lovelace", noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, made) })
	return w.user(t, made.ID())
}

// user reads an account.
func (w *world) user(t *testing.T, id user.ID) *user.User {
	t.Helper()
	var found *user.User
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Users.ByID(ctx, id)
		return err
	})
	return found
}

// team stores a workspace with members, all of one role; a personal one is that
// of the first.
func (w *world) team(t *testing.T, personal bool, role string, members ...user.ID) workspace.ID {
	t.Helper()
	snapshot := workspace.Snapshot{ID: like(w, workspace.ID("")), Name: "Engines", CreatedAt: noon()}
	if personal {
		snapshot.PersonalOf = members[0]
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Workspaces.Save(ctx, workspace.Restore(snapshot, 0)); err != nil {
			return err
		}
		for _, person := range members {
			if err := tx.Workspaces.SaveMember(ctx, workspace.Join(snapshot.ID, person, role, noon())); err != nil {
				return err
			}
		}
		return nil
	})
	return snapshot.ID
}

// reshaped changes a workspace, whatever the rules of its aggregate.
func (w *world) reshaped(t *testing.T, org workspace.ID, change func(*workspace.Snapshot)) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Workspaces.ByID(ctx, org)
		if err != nil {
			return err
		}
		s := found.Snapshot()
		change(&s)
		return tx.Workspaces.Save(ctx, workspace.Restore(s, found.Version()))
	})
}

// begin makes a session, not stored yet.
func (w *world) begin(person user.ID, org workspace.ID, now time.Time) *session.Session {
	return session.Begin(session.Start{
		ID: like(w, session.ID("")), UserID: person, OrgID: org, AMR: []string{"pwd", "otp"},
		IP: "203.0.113.7", UserAgent: "curl/8.5", Refresh: "digest-1", Policy: policy.Defaults().Session,
	}, now)
}

// session stores a session and returns a copy of it as it was read back.
func (w *world) session(t *testing.T, made *session.Session) *session.Session {
	t.Helper()
	var found *session.Session
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Sessions.Save(ctx, made); err != nil {
			return err
		}
		found, err = tx.Sessions.ByID(ctx, made.ID())
		return err
	})
	return found
}
