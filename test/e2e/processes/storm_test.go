package processes_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

// work is a kind of work that a storm is made of. What is asked for again after the
// kill has its effect once, whether or not it had it before.
type work struct {
	command string
	// event is what every piece of it leaves once; "" where expectWhole counts them.
	event string
	// do asks for the next piece and gives the answer.
	do func(w *worker, r *instance.Replica) *instance.Reply
	// check asks again, as clients do that heard nothing, and fails the test unless
	// what was acknowledged holds.
	check func(w *worker, r *instance.Replica)
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
	instance.Person

	admin        instance.Person
	asked        []piece
	acknowledged atomic.Int32
}

// piece is what a worker asked for, and the answer, if one came.
type piece struct {
	call   instance.Call
	answer *instance.Reply
}

func (p piece) lost() bool { return p.answer.Err != nil }

func (w *worker) ask(r *instance.Replica, c instance.Call) *instance.Reply {
	answer := r.Do(c)
	w.asked = append(w.asked, piece{c, answer})
	return answer
}

// keyed is the next call by the person, under an Idempotency-Key of its own.
func (w *worker) keyed(params P) instance.Call {
	return instance.Call{Command: w.command, Token: w.Access, Key: fmt.Sprint("piece-", len(w.asked)), Params: params}
}

func (w *worker) signUp(r *instance.Replica) *instance.Reply {
	return w.ask(r, instance.Signup(instance.Newcomer()))
}

func (w *worker) checkSignUps(r *instance.Replica) {
	for _, p := range w.asked {
		if p.lost() {
			r.Do(p.call) // which is refused when the account was made all the same
		} else {
			r.Do(instance.Call{Command: "USER.ME", Token: p.answer.Text("access_token")}).OK()
		}
		r.Again(instance.Person{Email: p.call.Params["email"].(string), Password: p.call.Params["password"].(string)})
	}
}

func (w *worker) refreshNext(r *instance.Replica) *instance.Reply {
	answer := w.ask(r, instance.Call{Command: w.command, Params: P{"refresh_token": w.Refresh}})
	if answer.Code() == "OK" {
		w.Refresh, _ = answer.Value("refresh_token").(string)
	}
	return answer
}

func (w *worker) checkRefreshes(r *instance.Replica) {
	last := w.last()
	again := r.Do(last.call).OK()
	if !last.lost() && again.Text("refresh_token") != last.answer.Text("refresh_token") {
		w.fail(r, "a retry after the kill is answered with another successor")
	}
	r.Do(instance.Call{Command: "USER.ME", Token: again.Text("access_token")}).OK()
}

func (w *worker) rename(r *instance.Replica) *instance.Reply {
	return w.ask(r, w.keyed(P{"display_name": fmt.Sprint("Name ", len(w.asked))}))
}

func (w *worker) checkName(r *instance.Replica) {
	w.repeat(r)
	if got, want := r.As(w.Person, "USER.ME", nil).Text("display_name"), w.last().call.Params["display_name"]; got != want {
		w.fail(r, "the name is %q, want %q", got, want)
	}
}

func (w *worker) changePassword(r *instance.Replica) *instance.Reply {
	next := fmt.Sprintf("%s, changed %d times", instance.Newcomer().Password, len(w.asked)+1)
	answer := w.ask(r, w.keyed(P{"current_password": w.Password, "new_password": next}))
	w.Password = next
	return answer
}

func (w *worker) checkPassword(r *instance.Replica) {
	w.repeat(r)
	r.Again(w.Person)
	r.Do(instance.Login(instance.Person{Email: w.Email, Password: w.last().call.Params["current_password"].(string)})).Fails("AUTH_ERROR")
}

// comeAndGo opens a session and ends it.
func (w *worker) comeAndGo(r *instance.Replica) *instance.Reply {
	came := r.Do(instance.Login(w.Person))
	access, known := came.Value("access_token").(string)
	if !known {
		return came
	}
	leave := w.keyed(nil)
	leave.Token = access
	return w.ask(r, leave)
}

func (w *worker) checkGone(r *instance.Replica) {
	w.repeat(r)
	for _, p := range w.asked {
		r.Do(instance.Call{Command: "USER.ME", Token: p.call.Token}).Fails("AUTH_ERROR")
	}
}

// crowd is how many accounts come in one call.
const crowd = 150

func (w *worker) bringMany(r *instance.Replica) *instance.Reply {
	users := make([]P, crowd)
	for i := range users {
		p := instance.Newcomer()
		users[i] = P{"email": p.Email, "external_id": p.Email, "password_hash": "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"}
	}
	return w.ask(r, instance.Call{Command: w.command, Token: w.admin.Access, Params: P{"users": users}})
}

func (w *worker) checkMany(r *instance.Replica) {
	for _, p := range w.asked {
		again := r.Do(p.call).OK()
		had, made := again.Number("skipped"), again.Number("imported")
		if had+made != crowd || !p.lost() && (made != 0 || p.answer.Number("imported") != crowd) {
			w.fail(r, "an import (lost: %v) of %d accounts found %d of them and made %d when it was asked for again", p.lost(), crowd, had, made)
		}
		if p.lost() {
			r.T.Logf("an import of %d accounts had made %d when it was killed", crowd, had)
		}
	}
}

func (w *worker) last() piece { return w.asked[len(w.asked)-1] }

// repeat asks for everything again by the keys it was asked for with.
func (w *worker) repeat(r *instance.Replica) {
	r.T.Helper()
	for _, p := range w.asked {
		if again := r.Do(p.call).OK(); !p.lost() {
			instance.ExpectReplay(r.T, again, p.answer)
		}
	}
}

func (w *worker) fail(r *instance.Replica, format string, about ...any) {
	r.T.Helper()
	r.T.Errorf(w.command+": "+format, about...)
}

// storm is two workers of every kind: one at each replica, where there are two.
type storm struct {
	workers []*worker
	stop    atomic.Bool
	working sync.WaitGroup
}

// blow lets the workers work until they are told to stop, or get no answer.
func blow(s *instance.Site, admin instance.Person) *storm {
	s.T.Helper()
	blowing := &storm{}
	for _, kind := range works() {
		for i := range 2 {
			blowing.workers = append(blowing.workers, &worker{work: kind, Person: s.Any(i).SignUp(), admin: admin})
		}
	}
	for i, w := range blowing.workers {
		blowing.working.Go(func() { blowing.work(w, s.Any(i)) })
	}
	return blowing
}

// breath is how long a worker rests, so that the storm is no trial of the machine.
const breath = 20 * time.Millisecond

func (b *storm) work(w *worker, r *instance.Replica) {
	for !b.stop.Load() {
		answer := w.do(w, r)
		switch answer.Code() {
		case "OK":
			w.acknowledged.Add(1)
			<-time.After(breath)
		case "":
			return // the replica is gone
		default:
			w.fail(r, "answered %s", answer.Body)
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
	for _, on := range []instance.Store{instance.SQLite(), instance.Postgres()} {
		t.Run(on.Name, func(t *testing.T) { storms(t, on) })
	}
}

// storms kills replicas of a site while everybody asks for something.
func storms(t *testing.T, on instance.Store) {
	t.Helper()
	s := instance.Open(t, on)
	admin := s.First().Admin()
	s.First().Wide(admin)
	s.First().As(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 60}}).OK()
	lost := 0
	for round := range 2 {
		victim, blowing := s.Any(round), blow(s, admin)
		if !victim.Await(blowing.raging) {
			t.Fatal("not all kinds of work get done")
		}
		<-time.After(rand.N(400 * time.Millisecond))
		blowing.stop.Store(true) // who rests asks no more; who waits for an answer gets none
		victim.Kill()
		blowing.working.Wait()
		s.Replicas[round%on.Replicas] = instance.Launch(t, s.Secrets, s.Directory, s.Environment, "serve")
		for i, w := range blowing.workers {
			if w.last().lost() {
				lost++
			}
			w.check(w, s.Any(i))
			expectEvents(s, w)
		}
		s.ExpectWhole()
	}
	if lost == 0 {
		t.Error("nobody was at work when the kills came")
	}
}

// expectEvents fails the test unless every piece of work left its event once.
func expectEvents(s *instance.Site, w *worker) {
	s.T.Helper()
	if w.event == "" {
		return
	}
	var n int
	s.Query(fmt.Sprintf(`SELECT count(*) FROM events WHERE kind = '%s' AND user_id = '%s'`, w.event, w.ID), &n)
	if n != len(w.asked) {
		s.T.Errorf("%d events %s after %d %s", n, w.event, len(w.asked), w.command)
	}
}
