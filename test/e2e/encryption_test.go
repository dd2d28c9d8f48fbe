package e2e_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Keys of ENCRYPTION_KEY, by id.
const (
	oldKey   = "old:5xJ0mYk1n3vVQp8Ht2rZb7cWd9fLgS4aEuKiOo6TqNs="
	newKey   = "new:p9QzR2tXvB7nM4kL1jH6gF3dS8aW5eYcUoIiPqTrEw0="
	wrongKey = "wrong:Zm9yYmlkZGVuLWtleS1vZi1hLXRoaXJ0eS10d28tYnk="
)

// private is what no reader of the database may find.
type private struct {
	person

	name, ip string
}

func somebodyPrivate(i int) private {
	return private{
		person: person{
			email:    fmt.Sprintf("Very.Private.Person%d@secret-domain.example", i),
			password: fmt.Sprintf("a phrase that person %d keeps", i),
		},
		name: fmt.Sprintf("Ada Unmistakable Lovelace%d", i), ip: fmt.Sprintf("203.0.113.%d", 70+i),
	}
}

// enter signs somebody up from their address, and lets them fail and be renewed.
func (p *private) enter(r *replica) {
	c := call{command: "AUTH.SIGNUP", params: P{"email": p.email, "password": p.password, "display_name": p.name}, ip: p.ip}
	p.person = r.holding(p.person, r.do(c))
	failed := wrong(p.person)
	failed.ip = p.ip
	r.do(failed).fails("AUTH_ERROR")
	c = login(p.person)
	c.ip = p.ip
	r.do(c).ok()
	r.do(call{command: "USER.UPDATE", params: P{"display_name": p.name + " Byron"}, token: p.access, ip: p.ip}).ok()
}

// expectThere fails the test unless somebody is found by everything they are
// sealed under.
func (p *private) expectThere(r *replica, admin person) {
	r.t.Helper()
	r.again(p.person)
	me := r.as(p.person, "USER.ME", nil)
	if !strings.EqualFold(me.text("email"), p.email) || me.text("display_name") != p.name+" Byron" {
		r.t.Errorf("USER.ME = %s", me.body)
	}
	if got := r.as(admin, "USER.GET", P{"email": strings.ToLower(p.email)}).text("user.id"); got != p.id {
		r.t.Errorf("USER.GET by address finds %s, want %s", got, p.id)
	}
	if got := len(r.as(admin, "SESSION.SEARCH", P{"ip": p.ip}).items()); got != 2 {
		r.t.Errorf("%d sessions found by address, want 2", got)
	}
	events := r.as(admin, "AUDIT.SEARCH", P{"ip": p.ip, "type": "login.failed"}).items()
	if len(events) != 1 || events[0]["ip"] != p.ip {
		r.t.Errorf("failed logins found by address = %v", events)
	}
}

// stored is all that the database holds, as whoever steals it reads it.
func (s *site) stored(t *testing.T) []byte {
	t.Helper()
	address := s.environment["DATABASE_URL"]
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
func (s *site) expectSealed(t *testing.T, people ...*private) {
	t.Helper()
	all := bytes.ToLower(s.stored(t))
	if !bytes.Contains(all, []byte(people[0].id)) {
		t.Error("the dump holds not even the id: it proves nothing")
	}
	for _, p := range people {
		local, _, _ := strings.Cut(p.email, "@")
		for _, text := range []string{p.email, local, "secret-domain", p.name, "unmistakable", "lovelace", "byron", p.ip, p.password, p.refresh, p.access} {
			if at := bytes.Index(all, []byte(strings.ToLower(text))); at >= 0 {
				t.Errorf("%q is stored in clear: %.200q", text, all[max(0, at-80):at+80])
			}
		}
	}
}

func TestPersonalDataIsSealed(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := plan(t, on.database(t), "ENCRYPTION_KEY="+oldKey)
		s.secrets.add("ENCRYPTION_KEY", strings.TrimPrefix(oldKey, "old:"))
		s.secrets.add("ENCRYPTION_KEY", strings.TrimPrefix(newKey, "new:"))
		s.start(on.replicas)
		ada, bob := somebodyPrivate(1), somebodyPrivate(2)
		ada.enter(s.first())
		ada.expectThere(s.last(), s.first().admin())
		s.expectSealed(t, &ada) // with what is in the write-ahead log
		stop(s.replicas...)
		s.expectSealed(t, &ada)

		s.expectRefused(t, ""+wrongKey)
		s.expectRefused(t, "old:"+strings.TrimPrefix(wrongKey, "wrong:"))
		s.expectRefused(t, "")
		s.expectRefused(t, ""+newKey)

		// The new key joins the old one, seals everything, and does alone.
		s.set("ENCRYPTION_KEY=" + newKey + "," + oldKey)
		s.start(on.replicas)
		bob.enter(s.last())
		ada.expectThere(s.first(), s.first().admin())
		if code, said := runOnce(t, "", s.directory, s.environment, "keys", "reencrypt"); code != 0 {
			t.Fatalf("gatehouse keys reencrypt beside running replicas = %d:\n%s", code, said)
		}
		stop(s.replicas...)
		if bytes.Contains(s.stored(t), []byte("enc:old:")) {
			t.Error("something is still sealed under the old key")
		}
		s.expectRefused(t, ""+oldKey)
		s.set("ENCRYPTION_KEY=" + newKey)
		s.start(on.replicas)
		admin := s.first().admin()
		ada.again(s.first(), admin)
		bob.expectThere(s.last(), admin)
		s.expectSealed(t, &ada, &bob)
	})
}

// again sees that somebody is there who logged in once more since.
func (p *private) again(r *replica, admin person) {
	r.t.Helper()
	r.as(p.person, "USER.ME", nil).ok()
	if got := r.as(admin, "USER.GET", P{"email": p.email}).text("user.display_name"); got != p.name+" Byron" {
		r.t.Errorf("the display name became %q", got)
	}
}

// expectRefused fails the test unless serve, with other keys, ends with a message
// that names their variable; the site's own stay.
func (s *site) expectRefused(t *testing.T, keys string) {
	t.Helper()
	const names = "ENCRYPTION_KEY"
	before := s.environment
	s.set(names + "=" + keys)
	code, said := runOnce(t, "", s.directory, s.environment, "serve")
	s.environment = before
	if code == 0 || !strings.Contains(said, names) || strings.Contains(said, "panic") {
		t.Errorf("serve with a wrong key = %d, want a message about %s:\n%s", code, names, said)
	}
}

// Sealing can begin on a database that holds personal data in clear.
func TestSealingBeginsLater(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		ada := somebodyPrivate(3)
		ada.enter(s.first())
		if !bytes.Contains(s.stored(t), []byte(ada.email)) {
			t.Error("without a key the address is not found in clear: the search proves nothing")
		}
		stop(s.replicas...)
		s.set("ENCRYPTION_KEY=" + newKey)
		if code, said := runOnce(t, "", s.directory, s.environment, "keys", "reencrypt"); code != 0 {
			t.Fatalf("gatehouse keys reencrypt = %d:\n%s", code, said)
		}
		s.expectSealed(t, &ada)
		s.start(on.replicas)
		ada.again(s.first(), s.first().admin())
		s.expectSealed(t, &ada)
	})
}
