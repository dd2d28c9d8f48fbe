package password

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/passwap/verifier"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
)

// right is the password of every hash of these tests.
const right = "correct horse"

// machine is one on which each kind of hash takes a given time, so many times as long as
// it is busy.
type machine struct {
	now, waited time.Duration
	busy        int
}

func (m *machine) spend(d time.Duration) { m.now += d * time.Duration(m.busy) }

// timed is the running time of work; what no verifier says takes time is today's hash.
func (m *machine) timed(work func()) time.Duration {
	began := m.now
	work()
	if m.now == began {
		m.spend(26 * time.Millisecond)
	}
	return m.now - began
}

// slow verifies a kind of hash in a time.
type slow struct {
	verifier.Verifier

	on   *machine
	took time.Duration
}

func (s slow) Verify(_, plain string) (verifier.Result, error) {
	s.on.spend(s.took)
	if plain == right {
		return verifier.OK, nil
	}
	return verifier.Fail, nil
}

func hashes() map[string]string {
	return map[string]string{
		"bcrypt": "$2a$12$" + strings.Repeat("A", 53), "pbkdf2": "$pbkdf2-sha256$29000$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43),
		"md5": "$1$AAAAAAAA$" + strings.Repeat("A", 22),
	}
}

// on makes Passwords that work on a machine.
func on(t *testing.T, m *machine) *Passwords {
	t.Helper()
	p, err := New(Settings{Memory: 1 << 10, Time: 1, Threads: 1}, system.Random{})
	if err != nil {
		t.Fatal(err)
	}
	took := map[string]time.Duration{"bcrypt": 116 * time.Millisecond, "pbkdf2": 40 * time.Millisecond, "md5": time.Millisecond}
	for i, f := range p.formats {
		for kind, hash := range hashes() {
			if f.form.MatchString(hash) {
				p.formats[i].verifier = slow{f.verifier, m, took[kind]}
			}
		}
	}
	p.timed = m.timed
	p.wait = func(_ context.Context, d time.Duration) error { m.waited += max(d, 0); return nil }
	return p
}

// Whatever is compared takes as long as the slowest form in the store, however busy the
// machine is; and no longer than that.
func TestAllTakeAsLongAsTheSlowest(t *testing.T) {
	t.Parallel()
	m := &machine{busy: 1}
	p := on(t, m)
	all := hashes()
	today, err := p.Hash(t.Context(), secret.New(right))
	if err != nil {
		t.Fatal(err)
	}
	all["today's"], all["none"] = today, ""
	for name, c := range map[string]struct {
		kinds []string
		want  time.Duration
	}{
		"only today's": {[]string{"today's"}, 26 * time.Millisecond},
		"with md5":     {[]string{"today's", "md5"}, 27 * time.Millisecond},
		"with pbkdf2":  {[]string{"today's", "md5", "pbkdf2"}, 66 * time.Millisecond},
		"with bcrypt":  {[]string{"bcrypt", "today's", "md5", "pbkdf2"}, 142 * time.Millisecond},
	} {
		var forms []string
		for _, kind := range c.kinds {
			forms = append(forms, password.Form(all[kind]))
		}
		m.busy = 1
		try := func(hash, plain string) time.Duration {
			m.now, m.waited = 0, 0
			if _, err := p.Verify(t.Context(), hash, secret.New(plain), forms...); err != nil {
				t.Fatal(err)
			}
			return m.now + m.waited
		}
		try("", "the forms are measured by the first one")
		for _, busy := range []int{1, 5} {
			m.busy = busy
			for _, kind := range append(c.kinds, "none") {
				for _, plain := range []string{right, "wrong", strings.Repeat("long", 1000)} {
					want := c.want * time.Duration(busy)
					if took := try(all[kind], plain); (took - want).Abs() > time.Microsecond {
						t.Errorf("%s: %.10q with %s takes %v, want %v", name, plain, kind, took, want)
					}
				}
			}
		}
	}
}

// The work of the slowest form is done where a hash is of it, and once more to measure it:
// all others wait, which costs no processor time.
func TestWaitingCostsNoWork(t *testing.T) {
	t.Parallel()
	m := &machine{busy: 1}
	p := on(t, m)
	forms := []string{password.Form(hashes()["bcrypt"])}
	for i, want := range []time.Duration{142 * time.Millisecond, 26 * time.Millisecond, 26 * time.Millisecond} {
		m.now = 0
		if _, err := p.Verify(t.Context(), "", secret.New("x"), forms...); err != nil || m.now != want {
			t.Errorf("attempt %d works for %v, want %v (%v)", i+1, m.now, want, err)
		}
	}
}

// A form that took longer than known is known at once, one that took less by and by.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	is := func(want time.Duration) {
		t.Helper()
		if got := p.slowest([]string{"a"}, 10*time.Millisecond).Round(time.Millisecond); got != want*time.Millisecond {
			t.Errorf("slowest = %v, want %v", got, want*time.Millisecond)
		}
	}
	for _, c := range []struct{ today, other, want time.Duration }{{10, 40, 40}, {20, 160, 80}, {10, 40, 75}, {10, 40, 71}} {
		p.learn("a", times{c.today * time.Millisecond, c.other * time.Millisecond})
		is(c.want)
	}
	p.learn("a", times{today: time.Millisecond, other: time.Hour})
	if got := p.slowest([]string{"a"}, time.Second); got != longest {
		t.Errorf("slowest = %v after an interrupted turn, want %v", got, longest)
	}
	if p.knows("b") || !p.knows("a") || p.slowest(nil, time.Second) != 0 {
		t.Error("a form is known that was never compared")
	}
}

// What was cut short is an error, and no early answer.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	p := on(t, &machine{busy: 1})
	p.wait = func(context.Context, time.Duration) error { return context.Canceled }
	if _, err := p.Verify(t.Context(), "", secret.New("x")); err == nil {
		t.Error("it answers before its time")
	}
}
