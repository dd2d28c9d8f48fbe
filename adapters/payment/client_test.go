package payment_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/secret"
)

// clock is moved by the test.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// failure is how a call ends.
type failure struct {
	answer func(w http.ResponseWriter)
	// again says which calls are made again.
	again which
}

type which int

const (
	none which = iota
	thoseWithOneEffect
	every
)

func failures() map[string]failure {
	status := func(code int, header ...string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if len(header) == 2 {
				w.Header().Set(header[0], header[1])
			}
			w.WriteHeader(code)
		}
	}
	hangUp := func(w http.ResponseWriter) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}
	return map[string]failure{
		"answered":                   {status(http.StatusOK), none},
		"refused":                    {status(http.StatusBadRequest), none},
		"in conflict":                {status(http.StatusConflict), none},
		"redirected":                 {status(http.StatusFound, "Location", "/elsewhere"), none},
		"turned away":                {status(http.StatusTooManyRequests), every},
		"turned away, to come again": {status(http.StatusTooManyRequests, "Retry-After", "0"), every},
		"turned away for long":       {status(http.StatusTooManyRequests, "Retry-After", "60"), none},
		"broken":                     {status(http.StatusInternalServerError), thoseWithOneEffect},
		"broken on the way":          {status(http.StatusBadGateway), thoseWithOneEffect},
		"down for long":              {status(http.StatusServiceUnavailable, "Retry-After", "60"), none},
		"cut off":                    {hangUp, thoseWithOneEffect},
	}
}

// What is turned away is repeated, and what broke only where its effect is had once: for each method,
// each failure, with a key and without.
func TestCallsAreRepeatedWhereThatIsSafe(t *testing.T) {
	t.Parallel()
	reads := map[string]bool{
		http.MethodGet: true, http.MethodHead: true,
		http.MethodPost: false, http.MethodPut: false, http.MethodPatch: false, http.MethodDelete: false,
	}
	for what, f := range failures() {
		for method, harmless := range reads {
			for _, key := range []string{"", "Idempotency-Key", "Paypal-Request-Id"} {
				want := 1
				if f.again == every || (f.again == thoseWithOneEffect && (harmless || key != "")) {
					want = 3
				}
				if got := callsOf(t, f.answer, method, key); got != want {
					t.Errorf("%s with the key header %q, %s: %d calls, want %d", method, key, what, got, want)
				}
			}
		}
	}
}

// callsOf returns how often a call with these arrives at a processor that always answers so.
func callsOf(t *testing.T, answer func(w http.ResponseWriter), method, key string) int {
	t.Helper()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if body, err := io.ReadAll(r.Body); r.URL.Path != "/here/v1/things" || string(body) != "a=b" || err != nil {
			t.Errorf("%s: called at %s with %q, %v", method, r.URL.Path, body, err)
		}
		answer(w)
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://api.processor.example/v1/things", strings.NewReader("a=b"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk_test_1")
	if key != "" {
		request.Header.Set(key, "k")
	}
	client := payment.Client(payment.Options{BaseURL: server.URL + "/here", Clock: system.Clock{}, Pause: time.Nanosecond})
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	return int(calls.Load())
}

// A library that takes no key with a call has it set by the context, and the call is repeated
// under it.
func TestKeysOfContexts(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer server.Close()
	ctx := payment.Keyed(t.Context(), "Idempotency-Key", "k")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("a=b"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := payment.Client(payment.Options{Clock: system.Clock{}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if want := []string{"k", "k", "k"}; !slices.Equal(keys, want) {
		t.Errorf("the calls have the keys %q, want %q", keys, want)
	}
}

// A processor that fails again and again is left alone, then tried by one call.
func TestTheCircuitOpensAndCloses(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var down atomic.Bool
	down.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		if down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	client := payment.Client(payment.Options{BaseURL: server.URL, Clock: at})
	call := func() error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.processor.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err == nil {
			_ = answer.Body.Close()
		}
		return err
	}
	for range 5 {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(); !errors.Is(err, payment.ErrCircuit) || calls.Load() != 5 {
		t.Errorf("after five failures: %v, %d calls", err, calls.Load())
	}
	at.now = at.now.Add(31 * time.Second)
	if err := call(); err != nil || calls.Load() != 6 {
		t.Errorf("after a rest: %v, %d calls", err, calls.Load())
	}
	if err := call(); !errors.Is(err, payment.ErrCircuit) {
		t.Errorf("it failed once more: %v", err)
	}
	down.Store(false)
	at.now = at.now.Add(31 * time.Second)
	for range 3 {
		if err := call(); err != nil {
			t.Errorf("once it works: %v", err)
		}
	}
}

// Nobody waits for long for a processor that takes calls and does not answer, or breaks off in
// an answer: it is left alone soon. That callers leave says nothing of it.
func TestProcessorsThatHang(t *testing.T) {
	t.Parallel()
	const patience, failures = 100 * time.Millisecond, 5
	for name, c := range map[string]struct {
		headers, leaves bool
		opens           bool
	}{
		"no answer": {false, false, true}, "the beginning of one": {true, false, true}, "callers who leave": {false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			release := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				if c.headers {
					_, _ = w.Write([]byte("{"))
					_ = http.NewResponseController(w).Flush()
				}
				<-release
			}))
			defer server.Close()
			defer close(release)
			client := payment.Client(payment.Options{BaseURL: server.URL, Clock: &clock{now: time.Unix(1_700_000_000, 0)}, Patience: patience})
			call := func() error {
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if c.leaves {
					time.AfterFunc(patience/4, leave)
				}
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.processor.example/", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := client.Do(request)
				if err != nil {
					return err
				}
				defer answer.Body.Close()
				_, err = io.ReadAll(answer.Body)
				return err
			}
			for range failures {
				began := time.Now()
				if err := call(); err == nil || errors.Is(err, payment.ErrCircuit) {
					t.Errorf("a call ends with %v", err)
				}
				if took := time.Since(began); took > billing.CallTime/2 {
					t.Errorf("a call takes %s, want about %s", took, patience)
				}
			}
			before := calls.Load()
			if err := call(); errors.Is(err, payment.ErrCircuit) != c.opens || (calls.Load() == before) != c.opens {
				t.Errorf("after %d calls: %v, %d calls", failures, err, calls.Load())
			}
		})
	}
}

// A signature is right for one body, secret and time.
func TestSignatures(t *testing.T) {
	t.Parallel()
	scheme := payment.SignatureFormat{Separator: ",", Time: "t", Mark: "v1", Joint: "."}
	by, now, body := secret.New("whsec_1"), time.Unix(1_700_000_000, 0), []byte(`{"id":"evt_1"}`)
	header := scheme.Sign(by, body, now)
	other := scheme.Sign(secret.New("whsec_0"), body, now)
	for name, c := range map[string]struct {
		by     secret.String
		header string
		body   []byte
		now    time.Time
		right  bool
	}{
		"right":            {by, header, body, now, true},
		"while it rotates": {by, header + strings.TrimPrefix(other, "t=1700000000"), body, now, true},
		"the other way":    {by, other + strings.TrimPrefix(header, "t=1700000000"), body, now, true},
		"almost old":       {by, header, body, now.Add(billing.SignatureAge), true},
		"old":              {by, header, body, now.Add(billing.SignatureAge + time.Second), false},
		"of the future":    {by, header, body, now.Add(-billing.SignatureAge - time.Second), false},
		"another body":     {by, header, append([]byte(" "), body...), now, false},
		"another secret":   {by, other, body, now, false},
		"another time":     {by, strings.Replace(header, "t=1700000000", "t=1700000001", 1), body, now, false},
		"no time":          {by, header[strings.Index(header, "v1"):], body, now, false},
		"nothing":          {by, "", body, now, false},
		"no secret":        {secret.String{}, scheme.Sign(secret.String{}, body, now), body, now, false},
	} {
		if err := scheme.Check(c.by, c.header, c.body, c.now); (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A hook of Standard Webhooks is right for one identifier, body, secret and time. The vector is
// that of https://www.standardwebhooks.com, whose secret is base64 of the key.
func TestStandardSignatures(t *testing.T) {
	t.Parallel()
	key, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	const right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	by, body, now := secret.New(string(key)), []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)
	for name, c := range map[string]struct {
		by                   secret.String
		id, time, signatures string
		body                 []byte
		now                  time.Time
		right                bool
	}{
		"right":              {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, body, now, true},
		"while it rotates":   {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "v1,AAAA v1a,x " + right, body, now, true},
		"almost old":         {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, body, now.Add(billing.SignatureAge), true},
		"old":                {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, body, now.Add(billing.SignatureAge + time.Second), false},
		"of the future":      {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, body, now.Add(-billing.SignatureAge - time.Second), false},
		"another identifier": {by, "msg_2", "1614265330", right, body, now, false},
		"another time":       {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265331", right, body, now, false},
		"another version":    {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "v2" + right[2:], body, now, false},
		"another body":       {by, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, []byte("{}"), now, false},
		"another secret":     {secret.New("k"), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, body, now, false},
		"no secret":          {secret.String{}, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", right, body, now, false},
		"nothing":            {by, "", "", "", body, now, false},
	} {
		header := http.Header{"Webhook-Id": {c.id}, "Webhook-Timestamp": {c.time}, "Webhook-Signature": {c.signatures}}
		if id, err := payment.CheckStandard(c.by, header, c.body, c.now); (err == nil) != c.right || (c.right && id != c.id) {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
}
