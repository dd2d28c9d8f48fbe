package instance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// P is a JSON object.
type P = map[string]any

// Call is one call of a command.
type Call struct {
	Command string
	Params  P
	Token   string
	Key     string
	DryRun  bool
	// IP is what the trusted proxy says; without it each call has its own.
	IP string
}

var addresses atomic.Uint32

// Address is an address nobody else calls from.
func Address() string {
	n := addresses.Add(1)
	return fmt.Sprintf("10.%d.%d.%d", byte(n>>16), byte(n>>8), byte(n))
}

// Reply is the answer to a call.
type Reply struct {
	T        testing.TB
	What     string
	Status   int
	Header   http.Header
	Body     []byte
	Envelope envelope
	// Err is why no answer came.
	Err error
}

type envelope struct {
	OK      bool   `json:"ok"`
	Command string `json:"command"`
	Data    P      `json:"data"`
	Error   *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Fields  []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
		} `json:"fields"`
	} `json:"error"`
}

// Do calls a command. It may be called from any goroutine.
func (r *Replica) Do(c Call) *Reply {
	r.T.Helper()
	body := P{"command": c.Command}
	if c.Params != nil {
		body["params"] = c.Params
	}
	if c.DryRun {
		body["dry_run"] = true
	}
	raw, err := json.Marshal(body)
	if err != nil {
		r.T.Errorf("encode %s: %v", c.Command, err)
	}
	r.Secrets.Note(c.Params)
	header := http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {c.IP}}
	if c.IP == "" {
		header.Set("X-Forwarded-For", Address())
	}
	if c.Token != "" {
		header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Key != "" {
		header.Set("Idempotency-Key", c.Key)
	}
	return r.Post(raw, header)
}

// Post sends a body as it is to the command endpoint.
func (r *Replica) Post(body []byte, header http.Header) *Reply {
	r.T.Helper()
	return r.Send(http.MethodPost, bytes.NewReader(body), header)
}

func (r *Replica) Send(method string, body io.Reader, header http.Header) *Reply {
	r.T.Helper()
	return r.To(method, "/api/v1/execute", body, header)
}

// To sends a request to a path that answers envelopes.
func (r *Replica) To(method, path string, body io.Reader, header http.Header) *Reply {
	r.T.Helper()
	answer := &Reply{T: r.T, What: method}
	request, err := http.NewRequest(method, r.URL+path, body)
	if err != nil {
		r.T.Errorf("make a request: %v", err)
		answer.Err = err
		return answer
	}
	request.Header = header
	response, err := r.Client.Do(request)
	if err != nil {
		answer.Err = err
		return answer
	}
	defer response.Body.Close()
	answer.Status, answer.Header = response.StatusCode, response.Header
	if answer.Body, answer.Err = io.ReadAll(response.Body); answer.Err == nil {
		answer.Check()
		r.Secrets.Note(answer.Envelope.Data)
	}
	return answer
}

// statuses are those of contract section 2.
var statuses = map[string][]int{
	"VALIDATION_ERROR": {400, 405, 413, 415}, "AUTH_ERROR": {401}, "TOKEN_EXPIRED": {401}, "TOKEN_INVALID": {401},
	"PERMISSION_DENIED": {403}, "NOT_FOUND": {404}, "UNKNOWN_COMMAND": {404}, "RATE_LIMITED": {429}, "INTERNAL_ERROR": {500},
}

// Check holds an answer to what is true of every answer of the endpoint.
func (r *Reply) Check() {
	r.T.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &keys); err != nil || json.Unmarshal(r.Body, &r.Envelope) != nil {
		r.T.Errorf("%s answered %d with what is no envelope: %.300q", r.What, r.Status, r.Body)
		return
	}
	for _, key := range []string{"ok", "command", "data", "error"} {
		if _, there := keys[key]; !there || len(keys) != 4 {
			r.T.Errorf("the envelope has not exactly the four keys: %.300q", r.Body)
			return
		}
	}
	e := r.Envelope
	r.What = e.Command
	if e.OK != (e.Error == nil) || e.OK != (string(keys["data"]) != "null") || e.OK != (r.Status == http.StatusOK) {
		r.T.Errorf("ok, data, error and status %d do not fit: %.300q", r.Status, r.Body)
	}
	if !e.OK && (!slices.Contains(statuses[e.Error.Code], r.Status) || e.Error.Message == "") {
		r.T.Errorf("status %d with %.300q", r.Status, r.Body)
	}
	r.checkHeaders()
}

func (r *Reply) checkHeaders() {
	r.T.Helper()
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Content-Type": "application/json", "X-Content-Type-Options": "nosniff",
	} {
		if got := r.Header.Get(name); got != want {
			r.T.Errorf("%s: header %s = %q, want %q", r.What, name, got, want)
		}
	}
	if len(r.Header.Values("X-Request-Id")) != 1 {
		r.T.Errorf("%s: X-Request-Id = %q, want one", r.What, r.Header.Values("X-Request-Id"))
	}
	challenge := r.Header.Get("WWW-Authenticate")
	// A credential that does not allow a call is told so (RFC 6750 section 3.1).
	if r.Status != http.StatusForbidden && (r.Status == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") {
		r.T.Errorf("%s: status %d with WWW-Authenticate %q", r.What, r.Status, challenge)
	}
	wait, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if (r.Status == http.StatusTooManyRequests) != (err == nil && wait >= 1) {
		r.T.Errorf("%s: status %d with Retry-After %q", r.What, r.Status, r.Header.Get("Retry-After"))
	}
}

// Code is the error code; "OK" on success, "" when no answer came.
func (r *Reply) Code() string {
	switch {
	case r.Err != nil:
		return ""
	case r.Envelope.Error != nil:
		return r.Envelope.Error.Code
	}
	return "OK"
}

// OK ends the test unless the call succeeded.
func (r *Reply) OK() *Reply {
	r.T.Helper()
	if r.Code() != "OK" {
		r.T.Fatalf("%s: %v %d %s, want success", r.What, r.Err, r.Status, r.Body)
	}
	return r
}

// Fails ends the test unless the call failed with this code.
func (r *Reply) Fails(code string) *Reply {
	r.T.Helper()
	if r.Code() != code {
		r.T.Fatalf("%s: %v %d %s, want %s", r.What, r.Err, r.Status, r.Body, code)
	}
	return r
}

// Value finds a value of the data by its dotted path; nil when there is none.
func (r *Reply) Value(path string) any {
	var at any = r.Envelope.Data
	for name := range strings.SplitSeq(path, ".") {
		object, _ := at.(P)
		at = object[name]
	}
	return at
}

// Text is the text at a dotted path.
func (r *Reply) Text(path string) string {
	r.T.Helper()
	text, is := r.OK().Value(path).(string)
	if !is {
		r.T.Fatalf("%s: no text at %s in %s", r.What, path, r.Body)
	}
	return text
}

// Number is the number at a dotted path.
func (r *Reply) Number(path string) int {
	r.T.Helper()
	number, is := r.OK().Value(path).(float64)
	if !is {
		r.T.Fatalf("%s: no number at %s in %s", r.What, path, r.Body)
	}
	return int(number)
}

// Items is the list of objects under items.
func (r *Reply) Items() []P {
	r.T.Helper()
	list, is := r.OK().Value("items").([]any)
	if !is {
		r.T.Fatalf("%s: no items in %s", r.What, r.Body)
	}
	items := make([]P, 0, len(list))
	for _, item := range list {
		items = append(items, item.(P))
	}
	return items
}

// Note remembers the secrets of parameters or of a result.
func (s *secrets) Note(object P) {
	for name, value := range object {
		text, is := value.(string)
		const shortest = 20 // the key of a feature is a name, and no secret
		if !is || name == "key" && len(text) < shortest {
			continue
		}
		switch name {
		case "password", "current_password", "new_password", "access_token", "refresh_token",
			"key", "api_key", "client_secret", "client_assertion", "proof":
			s.Add("a "+name, text)
		}
	}
}

// Together runs n calls at once and returns their answers.
func Together(n int, one func(i int) *Reply) []*Reply {
	answers := make([]*Reply, n)
	gate := make(chan struct{})
	var working sync.WaitGroup
	for i := range n {
		working.Go(func() {
			<-gate
			answers[i] = one(i)
		})
	}
	close(gate)
	working.Wait()
	return answers
}

// Codes counts answers by their code.
func Codes(answers []*Reply) map[string]int {
	counted := map[string]int{}
	for _, answer := range answers {
		counted[answer.Code()]++
	}
	return counted
}

// Present calls USER.ME with these Authorization headers.
func (r *Replica) Present(credentials ...string) *Reply {
	r.T.Helper()
	header := JSONHeader()
	if len(credentials) > 0 {
		header["Authorization"] = credentials
	}
	return r.Post([]byte(`{"command":"USER.ME"}`), header)
}

// JSONHeader is that of a call from an address of its own.
func JSONHeader() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {Address()}}
}

// With is a copy of an object with some members set, or removed where nil.
func With(object P, changes P) P {
	changed := maps.Clone(object)
	maps.Copy(changed, changes)
	maps.DeleteFunc(changed, func(name string, value any) bool { return value == nil })
	return changed
}

// Replayed reports whether this is the answer to an earlier call.
func (r *Reply) Replayed() bool { return r.Header.Get("Idempotent-Replayed") == "true" }

// ExpectReplay fails the test unless an answer is the first one again.
func ExpectReplay(t testing.TB, again, first *Reply) {
	t.Helper()
	if !again.Replayed() || again.Status != first.Status || !bytes.Equal(again.Body, first.Body) {
		t.Errorf("the same call again = %d %s (replayed %v), want %d %s", again.Status, again.Body, again.Replayed(), first.Status, first.Body)
	}
}

// Endpoint is where commands are called, as clients see it.
const Endpoint = Issuer + "/api/v1/execute"

// Sending calls a command with these headers, as Name=value.
func (r *Replica) Sending(command string, params P, headers ...string) *Reply {
	r.T.Helper()
	header := JSONHeader()
	for _, one := range headers {
		name, value, _ := strings.Cut(one, "=")
		header.Add(name, value)
	}
	r.Secrets.Note(params)
	body := P{"command": command}
	if params != nil {
		body["params"] = params
	}
	return r.Post(JSONOf(r.T, body), header)
}

// Happened counts the events of a kind about a person.
func (r *Replica) Happened(admin Person, kind string, about Person) int {
	r.T.Helper()
	return len(r.As(admin, "AUDIT.SEARCH", P{"type": kind, "user_id": about.ID, "limit": 200}).Items())
}

// Rounds is how often a test repeats what may go wrong by chance.
const Rounds = 20

// Expect fails the test unless all of the calls succeeded. It may be called from any
// goroutine.
func Expect(t testing.TB, answers ...*Reply) {
	t.Helper()
	for _, answer := range answers {
		if answer.Code() != "OK" {
			t.Errorf("%s: %v %d %.300s", answer.What, answer.Err, answer.Status, answer.Body)
		}
	}
}
