package commands_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

// Keys of ENCRYPTION_KEY, by id.
const (
	oldKey   = "old:5xJ0mYk1n3vVQp8Ht2rZb7cWd9fLgS4aEuKiOo6TqNs="
	newKey   = "new:p9QzR2tXvB7nM4kL1jH6gF3dS8aW5eYcUoIiPqTrEw0="
	wrongKey = "wrong:Zm9yYmlkZGVuLWtleS1vZi1hLXRoaXJ0eS10d28tYnk="
)

// private is what no reader of the database may find.
type private struct {
	instance.Person

	name, ip string
}

func somebodyPrivate(i int) private {
	return private{
		Person: instance.Person{
			Email:    fmt.Sprintf("Very.Private.Person%d@secret-domain.example", i),
			Password: fmt.Sprintf("a phrase that person %d keeps", i),
		},
		name: fmt.Sprintf("Ada Unmistakable Lovelace%d", i), ip: fmt.Sprintf("203.0.113.%d", 70+i),
	}
}

// enter signs somebody up from their address, and lets them fail and be renewed.
func (p *private) enter(r *instance.Replica) {
	c := instance.Call{Command: "AUTH.SIGNUP", Params: P{"email": p.Email, "password": p.Password, "display_name": p.name}, IP: p.ip}
	p.Person = r.Holding(p.Person, r.Do(c))
	failed := wrong(p.Person)
	failed.IP = p.ip
	r.Do(failed).Fails("AUTH_ERROR")
	c = instance.Login(p.Person)
	c.IP = p.ip
	r.Do(c).OK()
	r.Do(instance.Call{Command: "USER.UPDATE", Params: P{"display_name": p.name + " Byron"}, Token: p.Access, IP: p.ip}).OK()
}

// expectThere fails the test unless somebody is found by everything they are
// sealed under.
func (p *private) expectThere(r *instance.Replica, admin instance.Person) {
	r.T.Helper()
	r.Again(p.Person)
	me := r.As(p.Person, "USER.ME", nil)
	if !strings.EqualFold(me.Text("email"), p.Email) || me.Text("display_name") != p.name+" Byron" {
		r.T.Errorf("USER.ME = %s", me.Body)
	}
	if got := r.As(admin, "USER.GET", P{"email": strings.ToLower(p.Email)}).Text("user.id"); got != p.ID {
		r.T.Errorf("USER.GET by address finds %s, want %s", got, p.ID)
	}
	if got := len(r.As(admin, "SESSION.SEARCH", P{"ip": p.ip}).Items()); got != 2 {
		r.T.Errorf("%d sessions found by address, want 2", got)
	}
	events := r.As(admin, "AUDIT.SEARCH", P{"ip": p.ip, "type": "login.failed"}).Items()
	if len(events) != 1 || events[0]["ip"] != p.ip {
		r.T.Errorf("failed logins found by address = %v", events)
	}
}

// stored is all that the database holds, as whoever steals it reads it.
func stored(s *instance.Site, t *testing.T) []byte {
	t.Helper()
	address := s.Environment["DATABASE_URL"]
	if file, is := strings.CutPrefix(address, "sqlite://"); is {
		var all []byte
		for _, part := range []string{file, file + "-wal", file + "-shm"} {
			content, err := os.ReadFile(part)
			if err != nil && !os.IsNotExist(err) {
				t.Fatalf("read the database file: %v", err)
			}
			all = append(all, content...)
		}
		return all
	}
	return dump(t, address)
}

// dump is every row of every table as text.
func dump(t *testing.T, address string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	defer db.Close()
	tables, err := db.QueryContext(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	if err != nil {
		t.Fatalf("list the tables: %v", err)
	}
	defer tables.Close()
	var all bytes.Buffer
	for tables.Next() {
		var table, rows string
		if err := tables.Scan(&table); err != nil {
			t.Fatalf("list the tables: %v", err)
		}
		if err := db.QueryRowContext(ctx, `SELECT coalesce(string_agg(t::text, chr(10)), '') FROM `+table+` t`).Scan(&rows); err != nil {
			t.Fatalf("read the table %s: %v", table, err)
		}
		fmt.Fprintf(&all, "%s\n%s\n", table, rows)
	}
	if err := tables.Err(); err != nil {
		t.Fatalf("list the tables: %v", err)
	}
	return all.Bytes()
}

// expectSealed fails the test when something personal, or a secret, is in clear.
func expectSealed(s *instance.Site, t *testing.T, people ...*private) {
	t.Helper()
	all := bytes.ToLower(stored(s, t))
	if !bytes.Contains(all, []byte(people[0].ID)) {
		t.Error("the dump holds not even the id: it proves nothing")
	}
	for _, p := range people {
		local, _, _ := strings.Cut(p.Email, "@")
		for _, text := range []string{p.Email, local, "secret-domain", p.name, "unmistakable", "lovelace", "byron", p.ip, p.Password, p.Refresh, p.Access} {
			if at := bytes.Index(all, []byte(strings.ToLower(text))); at >= 0 {
				t.Errorf("%q is stored in clear: %.200q", text, all[max(0, at-80):at+80])
			}
		}
	}
}

func TestPersonalDataIsSealed(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Plan(t, on.Database(t), "ENCRYPTION_KEY="+oldKey)
		s.Secrets.Add("ENCRYPTION_KEY", strings.TrimPrefix(oldKey, "old:"))
		s.Secrets.Add("ENCRYPTION_KEY", strings.TrimPrefix(newKey, "new:"))
		s.Start(on.Replicas)
		ada, bob := somebodyPrivate(1), somebodyPrivate(2)
		ada.enter(s.First())
		ada.expectThere(s.Last(), s.First().Admin())
		expectSealed(s, t, &ada) // with what is in the write-ahead log
		instance.Stop(s.Replicas...)
		expectSealed(s, t, &ada)

		expectRefused(s, t, ""+wrongKey)
		expectRefused(s, t, "old:"+strings.TrimPrefix(wrongKey, "wrong:"))
		expectRefused(s, t, "")
		expectRefused(s, t, ""+newKey)

		// The new key joins the old one, seals everything, and does alone.
		s.Set("ENCRYPTION_KEY=" + newKey + "," + oldKey)
		s.Start(on.Replicas)
		bob.enter(s.Last())
		ada.expectThere(s.First(), s.First().Admin())
		if code, said := instance.RunOnce(t, "", s.Directory, s.Environment, "keys", "reencrypt"); code != 0 {
			t.Fatalf("gatehouse keys reencrypt beside running replicas = %d:\n%s", code, said)
		}
		instance.Stop(s.Replicas...)
		if bytes.Contains(stored(s, t), []byte("enc:old:")) {
			t.Error("something is still sealed under the old key")
		}
		expectRefused(s, t, ""+oldKey)
		s.Set("ENCRYPTION_KEY=" + newKey)
		s.Start(on.Replicas)
		admin := s.First().Admin()
		ada.again(s.First(), admin)
		bob.expectThere(s.Last(), admin)
		expectSealed(s, t, &ada, &bob)
	})
}

// again sees that somebody is there who logged in once more since.
func (p *private) again(r *instance.Replica, admin instance.Person) {
	r.T.Helper()
	r.As(p.Person, "USER.ME", nil).OK()
	if got := r.As(admin, "USER.GET", P{"email": p.Email}).Text("user.display_name"); got != p.name+" Byron" {
		r.T.Errorf("the display name became %q", got)
	}
}

// expectRefused fails the test unless serve, with other keys, ends with a message
// that names their variable; the site's own stay.
func expectRefused(s *instance.Site, t *testing.T, keys string) {
	t.Helper()
	const names = "ENCRYPTION_KEY"
	before := s.Environment
	s.Set(names + "=" + keys)
	code, said := instance.RunOnce(t, "", s.Directory, s.Environment, "serve")
	s.Environment = before
	if code == 0 || !strings.Contains(said, names) || strings.Contains(said, "panic") {
		t.Errorf("serve with a wrong key = %d, want a message about %s:\n%s", code, names, said)
	}
}

// Sealing can begin on a database that holds personal data in clear.
func TestSealingBeginsLater(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := somebodyPrivate(3)
		ada.enter(s.First())
		if !bytes.Contains(stored(s, t), []byte(ada.Email)) {
			t.Error("without a key the address is not found in clear: the search proves nothing")
		}
		instance.Stop(s.Replicas...)
		s.Set("ENCRYPTION_KEY=" + newKey)
		if code, said := instance.RunOnce(t, "", s.Directory, s.Environment, "keys", "reencrypt"); code != 0 {
			t.Fatalf("gatehouse keys reencrypt = %d:\n%s", code, said)
		}
		expectSealed(s, t, &ada)
		s.Start(on.Replicas)
		ada.again(s.First(), s.First().Admin())
		expectSealed(s, t, &ada)
	})
}
