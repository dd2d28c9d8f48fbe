package relay_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/test/harness"
)

// working runs the relay of a service until the function that it returns is called.
func working(h *harness.Service, t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); h.Relay.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(stop)
	return stop
}

// One receiver that hangs, among 200 healthy ones of three workspaces, has no more than its
// share of what is under way.
func TestDeadEndpointDelaysNobody(t *testing.T) {
	t.Parallel()
	const healthy, owners, events = 200, 3, 3
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		hanging := make(chan struct{})
		dead := receive(t, func(*http.Request) { <-hanging })
		release := sync.OnceFunc(func() { close(hanging) })
		t.Cleanup(release)
		var mu sync.Mutex
		came := map[string]int{}
		well := receive(t, func(r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			came[r.URL.Path]++
		})
		var who []*harness.Actor
		for i := range owners {
			who = append(who, h.SignUp(fmt.Sprintf("owner%d@example.com", i)))
			register(who[i], dead.URL)
		}
		for i := range healthy {
			register(who[i%owners], fmt.Sprintf("%s/%d", well.URL, i))
		}
		for _, one := range who {
			roles(one, events)
		}
		began := time.Now()
		stop := working(h, t)
		eventually(t, "what is for the healthy ones", func() bool { return well.count() == healthy*events })
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("the healthy ones waited %s", took)
		}
		for path, n := range came {
			if n != events {
				t.Errorf("%s got %d messages", path, n)
			}
		}
		release()
		stop()
	})
}

// One transaction makes the deliveries of a few events, so that nobody else who writes waits
// for many: what the first of them did stays when a later one fails, and is not done again.
func TestFanOutGoesInParts(t *testing.T) {
	t.Parallel()
	const events = 25
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root, ada := h.Superadmin(), h.SignUp("ada@example.com")
		for range webhook.MaxEndpoints {
			register(ada, "http://127.0.0.1:8999/")
		}
		feed := webhookstore.Feed(h.Store)
		if err := feed.Place(t.Context()); err != nil {
			t.Fatal(err)
		}
		roles(ada, events)
		run := func(statement string) {
			if _, err := h.Store.Database().Write.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		made := func() (n int) {
			if err := h.Store.Reader(t.Context()).Get(t.Context(), &n, "SELECT COUNT(*) FROM webhook_deliveries"); err != nil {
				t.Fatal(err)
			}
			return n
		}
		run(fmt.Sprintf("INSERT INTO event_feed (pos, event_id, org_id, kind) SELECT last + %d, 'in the way', '', '' FROM feed_cursor", events))
		if err := feed.Place(t.Context()); err == nil || made() != 20*webhook.MaxEndpoints {
			t.Errorf("%d deliveries where a place is taken (%v)", made(), err)
		}
		run("DELETE FROM event_feed WHERE event_id = 'in the way'")
		if err := feed.Place(t.Context()); err != nil || made() != events*webhook.MaxEndpoints {
			t.Errorf("%d deliveries in the end (%v)", made(), err)
		}
		if n := len(root.Do("EVENT.LIST", P{"types": []string{"role.created"}}).OK().List("items")); n != events {
			t.Errorf("%d events are in the feed", n)
		}
	})
}

// What replicas that lost deliveries still have to say of them, at the very moment at which those
// who have them now end, spoils nothing: each delivery ends by the attempt of the latter.
func TestLateOutcomesAmongOthers(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada := h.SignUp("ada@example.com")
		register(ada, receive(t, nil).URL)
		const many = 20
		roles(ada, many)
		claims := webhookstore.Claims(h.Store)
		if err := webhookstore.Feed(h.Store).Place(t.Context()); err != nil {
			t.Fatal(err)
		}
		var ended sync.WaitGroup
		var all []webhooks.ClaimedDelivery
		for _, status := range []int{http.StatusInternalServerError, http.StatusOK} {
			claimed, err := claims.Claim(t.Context(), webhooks.ClaimOrder{Most: many, InFlight: many, Now: h.Clock.Now()})
			if err != nil || len(claimed) != many {
				t.Fatalf("claimed %d, %v", len(claimed), err)
			}
			for _, one := range claimed {
				one.Note(webhook.Attempt{At: h.Clock.Now(), StatusCode: status}, 0, h.Clock.Now())
				one.StatusCode = status
				all = append(all, one)
			}
			h.Clock.Advance(webhook.Lease + time.Second)
		}
		for _, one := range all {
			ended.Go(func() {
				if _, err := claims.Finish(t.Context(), one, webhook.Attempt{At: h.Clock.Now(), StatusCode: one.StatusCode}); err != nil {
					t.Error(err)
				}
			})
		}
		ended.Wait()
		for _, d := range ada.Do("WEBHOOK.DELIVERY_LIST", nil).OK().List("items") {
			if d["status"] != "succeeded" || d["attempts"] != 1.0 {
				t.Errorf("a delivery is %v", d)
			}
		}
	})
}

// held is how long the transactions of TestLateCommits stay open; 30s is what it is to stand.
var held = flag.Duration("held", time.Second, "how long transactions that commit late stay open")

// Events of transactions that commit long after others were told of, and in another order than
// they began, are told of too: to webhooks, and to who polls the feed behind the last it saw.
func TestLateCommits(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.Postgres(t))
	to := receive(t, nil)
	ada := h.SignUp("ada@example.com")
	register(ada, to.URL)
	var polled []string
	poll := func() {
		query := P{"types": []string{"role.created"}}
		if len(polled) > 0 {
			query["after"] = polled[len(polled)-1]
		}
		for _, one := range ada.Do("EVENT.LIST", query).OK().List("items") {
			polled = append(polled, one["id"].(string))
		}
	}
	var late []string
	var commits []func() error
	for range 3 {
		tx, err := h.Store.Database().Write.Beginx()
		if err != nil {
			t.Fatal(err)
		}
		early := event.NewID(system.NewIDs(h.Clock)).String()
		_, err = tx.Exec(`INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, command, data)
			VALUES ($1, 'role.created', $2, 'success', '', $3, 'system', '', '', '', '', '', '', '', '{}')`, early, h.Clock.Now(), ada.OrgID)
		if err != nil {
			t.Fatal(err)
		}
		late, commits = append(late, early), append(commits, tx.Commit)
	}
	roles(ada, 2)
	if n := h.SendWebhooks(); n != 2 {
		t.Errorf("%d attempts while the transactions are open", n)
	}
	poll()
	time.Sleep(*held)
	for i := range commits {
		last := len(commits) - 1 - i
		if err := commits[last](); err != nil {
			t.Fatal(err)
		}
		ada.Do("ROLE.CREATE", P{"name": fmt.Sprint("Between ", i), "permissions": []string{"flows:read"}}).OK()
		if n := h.SendWebhooks(); n != 2 || to.count() != 4+2*i {
			t.Errorf("%d attempts after the commit, %d messages", n, to.count())
		}
		if poll(); !slices.Contains(polled, late[last]) {
			t.Errorf("the feed skips %s", late[last])
		}
	}
	if slices.Sort(polled); len(slices.Compact(polled)) != 8 {
		t.Errorf("the feed told of %v", polled)
	}
}

// verifier is a receiver that knows one secret, and takes what the stock library verifies by it.
type verifier struct {
	*httptest.Server

	mu    sync.Mutex
	knows *standardwebhooks.Webhook
	came  map[string]bool
	wrong int
}

func verifying(t *testing.T) *verifier {
	t.Helper()
	v := &verifier{came: map[string]bool{}}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var message struct{ Data struct{ Name string } }
		_ = json.Unmarshal(body, &message)
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.knows.VerifyIgnoringTimestamp(body, r.Header) != nil {
			v.wrong++
			w.WriteHeader(http.StatusUnauthorized)
		}
		v.came[message.Data.Name] = true
	}))
	t.Cleanup(v.Close)
	return v
}

// learn has it know another secret from now on.
func (v *verifier) learn(t *testing.T, secret string) {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.knows = library
}

func (v *verifier) has(names []string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !slices.ContainsFunc(names, func(name string) bool { return !v.came[name] })
}

// While a secret rotates under load, a receiver that changes over within the overlap verifies
// every message, by whichever one it knows.
func TestSecretsRotateUnderLoad(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		to := verifying(t)
		ada := h.SignUp("ada@example.com")
		made := ada.Do("WEBHOOK.CREATE", P{"url": to.URL, "events": []string{"role.created"}}).OK()
		to.learn(t, made.String("signing_secret"))
		stop := working(h, t)
		var reported []string
		happen := func() {
			for range 6 {
				reported = append(reported, fmt.Sprint("Role ", len(reported)))
				ada.Do("ROLE.CREATE", P{"name": reported[len(reported)-1], "permissions": []string{"flows:read"}}).OK()
			}
		}
		for i := range 6 {
			happen()
			before := slices.Clone(reported)
			rotated := ada.Do("WEBHOOK.ROTATE_SECRET", P{"webhook_id": made.String("webhook.id"), "overlap_hours": 1}).OK()
			happen()
			eventually(t, "what was signed before the rotation", func() bool { return to.has(before) })
			to.learn(t, rotated.String("signing_secret"))
			if i == 3 { // those before end, while messages are under way
				h.Clock.Advance(time.Hour)
				ada = h.Login("ada@example.com", harness.Password)
			}
		}
		eventually(t, "everything", func() bool { return to.has(reported) })
		stop()
		if to.wrong > 0 {
			t.Errorf("%d of %d messages do not verify", to.wrong, len(reported))
		}
	})
}
