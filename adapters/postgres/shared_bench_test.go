package postgres_test

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/sqlstore"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

// callers is how many requests the benchmarks run at once.
const callers = 32

type repositories struct {
	users      people.Users
	workspaces workspaces.Workspaces
	sessions   people.Sessions
}

// benchStore returns a store with one session for each of many people.
func benchStore(b *testing.B, keys string, people int) (*sqlstore.Store, []*session.Session) {
	b.Helper()
	parsed := cipher.Keys{}
	if keys != "" {
		var err error
		if parsed, err = cipher.ParseKeys(keys); err != nil {
			b.Fatal(err)
		}
	}
	database, err := postgres.Open(harness.Postgres(b), postgres.Pools{})
	if err != nil {
		b.Fatal(err)
	}
	store, err := sqlstore.Open(b.Context(), sqlstore.Config{
		Database: database, Personal: cipher.New(parsed, system.Random{}),
		Secrets: cipher.FromSecret("a secret of the benchmark", "bench", system.Random{}),
		Clock:   system.Clock{}, IDs: system.IDs{}, Random: system.Random{}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return store, fill(b, store, people)
}

func fill(b *testing.B, store *sqlstore.Store, people int) []*session.Session {
	b.Helper()
	unit := sqlstore.NewUnit(store, func(tx *sqlstore.Tx) repositories {
		return repositories{peoplestore.Users(tx), workspacesstore.Workspaces(tx), peoplestore.Sessions(tx)}
	})
	var begun []*session.Session
	now := time.Now().UTC().Truncate(time.Microsecond)
	err := unit.Do(b.Context(), func(tx repositories) error {
		for i := range people {
			person := user.New(user.NewID(system.IDs{}), email.Restore(fmt.Sprintf("person%d@example.com", i)), "Ada Lovelace", now)
			org := workspace.NewID(system.IDs{})
			one := session.Begin(session.Start{
				ID: session.NewID(system.IDs{}), UserID: person.ID(), OrgID: org, AMR: []string{"pwd"}, IP: "203.0.113.7",
				UserAgent: "Mozilla/5.0 (X11; Linux x86_64)", Refresh: "0", Policy: policy.Defaults().Session,
			}, now)
			if err := tx.users.Save(b.Context(), person); err != nil {
				return err
			}
			if err := tx.workspaces.Save(b.Context(), workspace.NewPersonal(org, person.ID(), "Own", now)); err != nil {
				return err
			}
			if err := tx.workspaces.SaveMember(b.Context(), workspace.Join(org, person.ID(), "owner", now)); err != nil {
				return err
			}
			if err := tx.sessions.Save(b.Context(), one); err != nil {
				return err
			}
			begun = append(begun, one)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return begun
}

// together runs the work by so many callers at once and reports calls a second.
func together(b *testing.B, work func(caller int) error) {
	b.Helper()
	b.SetParallelism(callers / 2)
	var next atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		caller := int(next.Add(1) - 1)
		for pb.Next() {
			if err := work(caller); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkAdmit asks for the session and one or two limits of many people at once.
func BenchmarkAdmit(b *testing.B) {
	for _, sealing := range []string{"", "1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="} {
		for checks := range 3 {
			b.Run(fmt.Sprintf("sealed=%t/checks=%d", sealing != "", checks), func(b *testing.B) {
				store, begun := benchStore(b, sealing, 1000)
				asked := store.Admission()
				together(b, func(caller int) error {
					one := begun[(caller*31+b.N)%len(begun)]
					ask := outbound.AdmissionAsk{Session: one.ID()}
					for i := range checks {
						key := fmt.Sprintf("%d|%s", i, one.ID())
						ask.Checks = append(ask.Checks, outbound.LimitCheck{Key: key, Rule: limit.Rule{Limit: 1e6, Window: time.Minute}})
					}
					answer, err := asked.Admit(b.Context(), ask)
					if err == nil && (answer.Identity == nil || checks > 0 && !answer.Verdicts[0].Allowed) {
						err = fmt.Errorf("the answer is %+v", answer)
					}
					return err
				})
			})
		}
	}
}

// BenchmarkRotate refreshes different sessions at once.
func BenchmarkRotate(b *testing.B) {
	store, begun := benchStore(b, "", callers)
	rotations := store.Rotations()
	together(b, func(caller int) error {
		read, err := rotations.Read(b.Context(), begun[caller].ID())
		if err != nil {
			return err
		}
		held := session.Restore(read.Session, read.Version)
		now := time.Now().UTC()
		next := session.Digest(now.Format(time.RFC3339Nano))
		if err := held.Rotate(held.Snapshot().Refresh, next, 0, now); err != nil {
			return err
		}
		return rotations.Store(b.Context(), held)
	})
}

// BenchmarkCommit is what to compare with: every request inserts one row of its own
// and waits for its own commit.
func BenchmarkCommit(b *testing.B) {
	store, _ := benchStore(b, "", 1)
	unit := sqlstore.NewUnit(store, func(tx *sqlstore.Tx) outbound.Events { return tx.Events() })
	together(b, func(int) error {
		return unit.Do(b.Context(), func(events outbound.Events) error {
			return events.Record(b.Context(), session.Refreshed{SessionID: "s"})
		})
	})
}
