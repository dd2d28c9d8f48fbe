package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// work is a kind of work that a storm is made of. What is asked for again after the
// kill has its effect once, whether or not it had it before.
type work struct {
	command string
	// event is what every piece of it leaves once; "" where expectWhole counts them.
	event string
	// do asks for the next piece and gives the answer.
	do func(w *worker, r *replica) *reply
	// check asks again, as clients do that heard nothing, and fails the test unless
	// what was acknowledged holds.
	check func(w *worker, r *replica)
}

// works lists all kinds; that of which a retry has to come in time is checked first.
func works() []work {
	return []work{
		{"AUTH.REFRESH", "session.refreshed", (*worker).refreshNext, (*worker).checkRefreshes},
		{"AUTH.SIGNUP", "", (*worker).signUp, (*worker).checkSignUps},
		{"USER.UPDATE", "user.updated", (*worker).rename, (*worker).checkName},
		{"USER.CHANGE_PASSWORD", "password.changed", (*worker).changePassword, (*worker).checkPassword},
		{"AUTH.LOGOUT", "session.revoked", (*worker).comeAndGo, (*worker).checkGone},
		{"USER.BULK_IMPORT", "", (*worker).bringMany, (*worker).checkMany},
	}
}

// worker does one kind of work for one person.
type worker struct {
	work
	person

	admin        person
	asked        []piece
	acknowledged atomic.Int32
}

// piece is what a worker asked for, and the answer, if one came.
type piece struct {
	call   call
	answer *reply
}

func (p piece) lost() bool { return p.answer.err != nil }

func (w *worker) ask(r *replica, c call) *reply {
	answer := r.do(c)
	w.asked = append(w.asked, piece{c, answer})
	return answer
}

// keyed is the next call by the person, under an Idempotency-Key of its own.
func (w *worker) keyed(params P) call {
	return call{command: w.command, token: w.access, key: fmt.Sprint("piece-", len(w.asked)), params: params}
}

func (w *worker) signUp(r *replica) *reply { return w.ask(r, signup(newcomer())) }

func (w *worker) checkSignUps(r *replica) {
	for _, p := range w.asked {
		if p.lost() {
			r.do(p.call) // which is refused when the account was made all the same
		} else {
			r.do(call{command: "USER.ME", token: p.answer.text("access_token")}).ok()
		}
		r.again(person{email: p.call.params["email"].(string), password: p.call.params["password"].(string)})
	}
}

func (w *worker) refreshNext(r *replica) *reply {
	answer := w.ask(r, call{command: w.command, params: P{"refresh_token": w.refresh}})
	if answer.code() == "OK" {
		w.refresh, _ = answer.value("refresh_token").(string)
	}
	return answer
}

func (w *worker) checkRefreshes(r *replica) {
	last := w.last()
	again := r.do(last.call).ok()
	if !last.lost() && again.text("refresh_token") != last.answer.text("refresh_token") {
		w.fail(r, "a retry after the kill is answered with another successor")
	}
	r.do(call{command: "USER.ME", token: again.text("access_token")}).ok()
}

func (w *worker) rename(r *replica) *reply {
	return w.ask(r, w.keyed(P{"display_name": fmt.Sprint("Name ", len(w.asked))}))
}

func (w *worker) checkName(r *replica) {
	w.repeat(r)
	if got, want := r.as(w.person, "USER.ME", nil).text("display_name"), w.last().call.params["display_name"]; got != want {
		w.fail(r, "the name is %q, want %q", got, want)
	}
}

func (w *worker) changePassword(r *replica) *reply {
	next := fmt.Sprintf("%s, changed %d times", newcomer().password, len(w.asked)+1)
	answer := w.ask(r, w.keyed(P{"current_password": w.password, "new_password": next}))
	w.password = next
	return answer
}

func (w *worker) checkPassword(r *replica) {
	w.repeat(r)
	r.again(w.person)
	r.do(login(person{email: w.email, password: w.last().call.params["current_password"].(string)})).fails("AUTH_ERROR")
}

// comeAndGo opens a session and ends it.
func (w *worker) comeAndGo(r *replica) *reply {
	came := r.do(login(w.person))
	access, known := came.value("access_token").(string)
	if !known {
		return came
	}
	leave := w.keyed(nil)
	leave.token = access
	return w.ask(r, leave)
}

func (w *worker) checkGone(r *replica) {
	w.repeat(r)
	for _, p := range w.asked {
		r.do(call{command: "USER.ME", token: p.call.token}).fails("AUTH_ERROR")
	}
}

// crowd is how many accounts come in one call.
const crowd = 150

func (w *worker) bringMany(r *replica) *reply {
	users := make([]P, crowd)
	for i := range users {
		p := newcomer()
		users[i] = P{"email": p.email, "external_id": p.email, "password_hash": "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"}
	}
	return w.ask(r, call{command: w.command, token: w.admin.access, params: P{"users": users}})
}

func (w *worker) checkMany(r *replica) {
	for _, p := range w.asked {
		again := r.do(p.call).ok()
		had, made := again.number("skipped"), again.number("imported")
		if had+made != crowd || !p.lost() && (made != 0 || p.answer.number("imported") != crowd) {
			w.fail(r, "an import (lost: %v) of %d accounts found %d of them and made %d when it was asked for again", p.lost(), crowd, had, made)
		}
		if p.lost() {
			r.t.Logf("an import of %d accounts had made %d when it was killed", crowd, had)
		}
	}
}

func (w *worker) last() piece { return w.asked[len(w.asked)-1] }

// repeat asks for everything again by the keys it was asked for with.
func (w *worker) repeat(r *replica) {
	r.t.Helper()
	for _, p := range w.asked {
		if again := r.do(p.call).ok(); !p.lost() {
			expectReplay(r.t, again, p.answer)
		}
	}
}

func (w *worker) fail(r *replica, format string, about ...any) {
	r.t.Helper()
	r.t.Errorf(w.command+": "+format, about...)
}

// storm is two workers of every kind: one at each replica, where there are two.
type storm struct {
	workers []*worker
	stop    atomic.Bool
	working sync.WaitGroup
}

// blow lets the workers work until they are told to stop, or get no answer.
func (s *site) blow(admin person) *storm {
	s.t.Helper()
	blowing := &storm{}
	for _, kind := range works() {
		for i := range 2 {
			blowing.workers = append(blowing.workers, &worker{work: kind, person: s.any(i).signUp(), admin: admin})
		}
	}
	for i, w := range blowing.workers {
		blowing.working.Go(func() { blowing.work(w, s.any(i)) })
	}
	return blowing
}

// breath is how long a worker rests, so that the storm is no trial of the machine.
const breath = 20 * time.Millisecond

func (b *storm) work(w *worker, r *replica) {
	for !b.stop.Load() {
		answer := w.do(w, r)
		switch answer.code() {
		case "OK":
			w.acknowledged.Add(1)
			<-time.After(breath)
		case "":
			return // the replica is gone
		default:
			w.fail(r, "answered %s", answer.body)
			return
		}
	}
}

// raging reports whether everybody has been told of something done.
func (b *storm) raging() bool {
	for _, w := range b.workers {
		if w.acknowledged.Load() == 0 {
			return false
		}
	}
	return true
}

// It runs beside no other test: retries have to come in time, and all that a storm asks for
// is to be under way when the kill comes.
func TestKillLosesNothingThatWasAcknowledged(t *testing.T) { //nolint:paralleltest // retries have to come in time
	for _, on := range []store{sqlite(), postgres()} {
		t.Run(on.name, func(t *testing.T) { storms(t, on) })
	}
}

// storms kills replicas of a site while everybody asks for something.
func storms(t *testing.T, on store) {
	t.Helper()
	s := open(t, on)
	admin := s.first().admin()
	s.first().wide(admin)
	s.first().as(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 60}}).ok()
	lost := 0
	for round := range 2 {
		victim, blowing := s.any(round), s.blow(admin)
		if !victim.await(blowing.raging) {
			t.Fatal("not all kinds of work get done")
		}
		<-time.After(rand.N(400 * time.Millisecond))
		blowing.stop.Store(true) // who rests asks no more; who waits for an answer gets none
		victim.Kill()
		blowing.working.Wait()
		s.replicas[round%on.replicas] = launch(t, s.secrets, s.directory, s.environment, "serve")
		for i, w := range blowing.workers {
			if w.last().lost() {
				lost++
			}
			w.check(w, s.any(i))
			s.expectEvents(w)
		}
		s.expectWhole()
	}
	if lost == 0 {
		t.Error("nobody was at work when the kills came")
	}
}

// expectEvents fails the test unless every piece of work left its event once.
func (s *site) expectEvents(w *worker) {
	s.t.Helper()
	if w.event == "" {
		return
	}
	var n int
	s.query(fmt.Sprintf(`SELECT count(*) FROM events WHERE kind = '%s' AND user_id = '%s'`, w.event, w.id), &n)
	if n != len(w.asked) {
		s.t.Errorf("%d events %s after %d %s", n, w.event, len(w.asked), w.command)
	}
}
