package processes_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// gatehouse runs the program and fails the test unless it ends with the code.
func gatehouse(s *instance.Site, code int, input string, args ...string) string {
	s.T.Helper()
	got, said := instance.RunOnce(s.T, input, s.Directory, s.Environment, args...)
	if got != code {
		s.T.Fatalf("gatehouse %s = %d, want %d:\n%s", strings.Join(args, " "), got, code, said)
	}
	return said
}

func TestProfiles(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		gatehouse(s, 0, ada.Password+"\n", "login", "--email", ada.Email, "--url", s.First().URL)
		if said := gatehouse(s, 0, "", "exec", "user.me"); !strings.Contains(said, ada.Email) {
			t.Errorf("gatehouse exec user.me:\n%s", said)
		}
		if said := gatehouse(s, 0, "", "exec", "SESSION.LIST"); !strings.Contains(said, "Gatehouse CLI") {
			t.Errorf("gatehouse exec SESSION.LIST:\n%s", said)
		}
		files, err := filepath.Glob(filepath.Join(s.Directory, "*", "gatehouse", "default.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("profiles = %q, %v", files, err)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode() != 0o600 {
			t.Errorf("the profile: %v, %v", info, err)
		}
		// An access token that looks expired is exchanged, and the next one kept.
		before, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(before), `"expires_at"`)
		if err := os.WriteFile(files[0], []byte(head+`"expires_at":"2020-01-01T00:00:00Z"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		gatehouse(s, 0, "", "exec", "USER.ME")
		if after, err := os.ReadFile(files[0]); err != nil || strings.HasPrefix(string(after), head) {
			t.Errorf("the tokens were not exchanged: %v", err)
		}
		gatehouse(s, 0, "", "logout")
		if said := gatehouse(s, 1, "", "exec", "USER.ME", "--url", s.First().URL); !strings.Contains(said, "AUTH_ERROR") {
			t.Errorf("gatehouse exec USER.ME after the logout:\n%s", said)
		}
	})
}

// TEAM.SWITCH replaces the tokens of the profile and prints none; logs prints what happened.
func TestSwitchingOnTheCommandLine(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		gatehouse(s, 0, ada.Password+"\n", "login", "--email", ada.Email, "--url", s.First().URL)
		made := strings.TrimSpace(gatehouse(s, 0, "", "exec", "TEAM.CREATE", "name=Second", "--jq", ".organization.id"))
		said := gatehouse(s, 0, "", "exec", "TEAM.SWITCH", "org_id="+made)
		for _, secret := range []string{"access_token", "refresh_token", "eyJ", "rt_"} {
			if strings.Contains(said, secret) {
				t.Errorf("TEAM.SWITCH printed %s:\n%s", secret, said)
			}
		}
		if said := gatehouse(s, 0, "", "exec", "AUTH.WHOAMI"); !strings.Contains(said, made) {
			t.Errorf("AUTH.WHOAMI after the switch to %s:\n%s", made, said)
		}
		if said := gatehouse(s, 0, "", "logs", "--since", "1h", "--no-follow", "--jq", ".org_id"); !strings.Contains(said, made) {
			t.Errorf("gatehouse logs in %s:\n%s", made, said)
		}
	})
}

func TestBackupUnderLoadAndRestore(t *testing.T) {
	t.Parallel()
	s := instance.Open(t, instance.SQLite())
	ada := s.First().SignUp()
	var working sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		working.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					s.First().Do(instance.Login(ada)).Check()
				}
			}
		})
	}
	gatehouse(s, 0, "", "backup", "saved.db")
	if said := gatehouse(s, 1, "", "backup", "saved.db"); !strings.Contains(said, "--force") {
		t.Errorf("a second backup: %s", said)
	}
	gatehouse(s, 0, "", "backup", "--force", "saved.db")
	close(done)
	working.Wait()
	late := s.First().SignUp()
	if said := gatehouse(s, 1, "", "restore", "saved.db", "--force"); !strings.Contains(said, "is using the database") {
		t.Errorf("a restore under a running instance: %s", said)
	}
	s.First().As(late, "USER.ME", nil).OK()
	instance.Stop(s.Replicas...)
	if said := gatehouse(s, 1, "", "restore", "saved.db"); !strings.Contains(said, "--force") {
		t.Errorf("a restore over a database: %s", said)
	}
	gatehouse(s, 0, "", "restore", "saved.db", "--force")
	s.Start(1)
	s.First().As(s.First().Again(ada), "USER.ME", nil).OK()
	s.First().Do(instance.Login(late)).Fails("AUTH_ERROR")
}

func TestBackupOfPostgres(t *testing.T) {
	t.Parallel()
	s := instance.Plan(t, "postgres://nobody:zq5pass@db.example.com/gatehouse")
	for program, args := range map[string][]string{"pg_dump": {"backup", "f"}, "pg_restore": {"restore", "f"}} {
		if said := gatehouse(s, 1, "", args...); !strings.Contains(said, program) || strings.Contains(said, "zq5pass") {
			t.Errorf("gatehouse %q: %s", args, said)
		}
	}
	s.Set("DATABASE_URL=")
	if said := gatehouse(s, 1, "", "backup", "f"); !strings.Contains(said, "DATABASE_URL is missing") {
		t.Errorf("gatehouse backup: %s", said)
	}
}
