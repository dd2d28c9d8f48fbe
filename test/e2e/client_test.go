package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// call is one call of a command.
type call struct {
	command string
	params  P
	token   string
	key     string
	dryRun  bool
	// ip is what the trusted proxy says; without it each call has its own.
	ip string
}

var addresses atomic.Uint32

// address is an address nobody else calls from.
func address() string {
	n := addresses.Add(1)
	return fmt.Sprintf("10.%d.%d.%d", byte(n>>16), byte(n>>8), byte(n))
}

// reply is the answer to a call.
type reply struct {
	t        testing.TB
	what     string
	status   int
	header   http.Header
	body     []byte
	envelope envelope
	// err is why no answer came.
	err error
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

// do calls a command. It may be called from any goroutine.
func (r *replica) do(c call) *reply {
	r.t.Helper()
	body := P{"command": c.command}
	if c.params != nil {
		body["params"] = c.params
	}
	if c.dryRun {
		body["dry_run"] = true
	}
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Errorf("encode %s: %v", c.command, err)
	}
	r.secrets.note(c.params)
	header := http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {c.ip}}
	if c.ip == "" {
		header.Set("X-Forwarded-For", address())
	}
	if c.token != "" {
		header.Set("Authorization", "Bearer "+c.token)
	}
	if c.key != "" {
		header.Set("Idempotency-Key", c.key)
	}
	return r.post(raw, header)
}

// post sends a body as it is to the command endpoint.
func (r *replica) post(body []byte, header http.Header) *reply {
	r.t.Helper()
	return r.send(http.MethodPost, bytes.NewReader(body), header)
}

func (r *replica) send(method string, body io.Reader, header http.Header) *reply {
	r.t.Helper()
	return r.to(method, "/api/v1/execute", body, header)
}

// to sends a request to a path that answers envelopes.
func (r *replica) to(method, path string, body io.Reader, header http.Header) *reply {
	r.t.Helper()
	answer := &reply{t: r.t, what: method}
	request, err := http.NewRequest(method, r.url+path, body)
	if err != nil {
		r.t.Errorf("make a request: %v", err)
		answer.err = err
		return answer
	}
	request.Header = header
	response, err := r.client.Do(request)
	if err != nil {
		answer.err = err
		return answer
	}
	defer response.Body.Close()
	answer.status, answer.header = response.StatusCode, response.Header
	if answer.body, answer.err = io.ReadAll(response.Body); answer.err == nil {
		answer.check()
		r.secrets.note(answer.envelope.Data)
	}
	return answer
}

// statuses are those of contract section 2.
var statuses = map[string][]int{
	"VALIDATION_ERROR": {400, 405, 413, 415}, "AUTH_ERROR": {401}, "TOKEN_EXPIRED": {401}, "TOKEN_INVALID": {401},
	"PERMISSION_DENIED": {403}, "NOT_FOUND": {404}, "UNKNOWN_COMMAND": {404}, "RATE_LIMITED": {429}, "INTERNAL_ERROR": {500},
}

// check holds an answer to what is true of every answer of the endpoint.
func (r *reply) check() {
	r.t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(r.body, &keys); err != nil || json.Unmarshal(r.body, &r.envelope) != nil {
		r.t.Errorf("%s answered %d with what is no envelope: %.300q", r.what, r.status, r.body)
		return
	}
	for _, key := range []string{"ok", "command", "data", "error"} {
		if _, there := keys[key]; !there || len(keys) != 4 {
			r.t.Errorf("the envelope has not exactly the four keys: %.300q", r.body)
			return
		}
	}
	e := r.envelope
	r.what = e.Command
	if e.OK != (e.Error == nil) || e.OK != (string(keys["data"]) != "null") || e.OK != (r.status == http.StatusOK) {
		r.t.Errorf("ok, data, error and status %d do not fit: %.300q", r.status, r.body)
	}
	if !e.OK && (!slices.Contains(statuses[e.Error.Code], r.status) || e.Error.Message == "") {
		r.t.Errorf("status %d with %.300q", r.status, r.body)
	}
	r.checkHeaders()
}

func (r *reply) checkHeaders() {
	r.t.Helper()
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Content-Type": "application/json", "X-Content-Type-Options": "nosniff",
	} {
		if got := r.header.Get(name); got != want {
			r.t.Errorf("%s: header %s = %q, want %q", r.what, name, got, want)
		}
	}
	if len(r.header.Values("X-Request-Id")) != 1 {
		r.t.Errorf("%s: X-Request-Id = %q, want one", r.what, r.header.Values("X-Request-Id"))
	}
	challenge := r.header.Get("WWW-Authenticate")
	// A credential that does not allow a call is told so (RFC 6750 section 3.1).
	if r.status != http.StatusForbidden && (r.status == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") {
		r.t.Errorf("%s: status %d with WWW-Authenticate %q", r.what, r.status, challenge)
	}
	wait, err := strconv.Atoi(r.header.Get("Retry-After"))
	if (r.status == http.StatusTooManyRequests) != (err == nil && wait >= 1) {
		r.t.Errorf("%s: status %d with Retry-After %q", r.what, r.status, r.header.Get("Retry-After"))
	}
}

// code is the error code; "OK" on success, "" when no answer came.
func (r *reply) code() string {
	switch {
	case r.err != nil:
		return ""
	case r.envelope.Error != nil:
		return r.envelope.Error.Code
	}
	return "OK"
}

// ok ends the test unless the call succeeded.
func (r *reply) ok() *reply {
	r.t.Helper()
	if r.code() != "OK" {
		r.t.Fatalf("%s: %v %d %s, want success", r.what, r.err, r.status, r.body)
	}
	return r
}

// fails ends the test unless the call failed with this code.
func (r *reply) fails(code string) *reply {
	r.t.Helper()
	if r.code() != code {
		r.t.Fatalf("%s: %v %d %s, want %s", r.what, r.err, r.status, r.body, code)
	}
	return r
}

// value finds a value of the data by its dotted path; nil when there is none.
func (r *reply) value(path string) any {
	var at any = r.envelope.Data
	for name := range strings.SplitSeq(path, ".") {
		object, _ := at.(P)
		at = object[name]
	}
	return at
}

// text is the text at a dotted path.
func (r *reply) text(path string) string {
	r.t.Helper()
	text, is := r.ok().value(path).(string)
	if !is {
		r.t.Fatalf("%s: no text at %s in %s", r.what, path, r.body)
	}
	return text
}

// number is the number at a dotted path.
func (r *reply) number(path string) int {
	r.t.Helper()
	number, is := r.ok().value(path).(float64)
	if !is {
		r.t.Fatalf("%s: no number at %s in %s", r.what, path, r.body)
	}
	return int(number)
}

// items is the list of objects under items.
func (r *reply) items() []P {
	r.t.Helper()
	list, is := r.ok().value("items").([]any)
	if !is {
		r.t.Fatalf("%s: no items in %s", r.what, r.body)
	}
	items := make([]P, 0, len(list))
	for _, item := range list {
		items = append(items, item.(P))
	}
	return items
}

// note remembers the secrets of parameters or of a result.
func (s *secrets) note(object P) {
	for name, value := range object {
		text, is := value.(string)
		const shortest = 20 // the key of a feature is a name, and no secret
		if !is || name == "key" && len(text) < shortest {
			continue
		}
		switch name {
		case "password", "current_password", "new_password", "access_token", "refresh_token",
			"key", "api_key", "client_secret", "client_assertion", "proof":
			s.add("a "+name, text)
		}
	}
}

// together runs n calls at once and returns their answers.
func together(n int, one func(i int) *reply) []*reply {
	answers := make([]*reply, n)
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

// codes counts answers by their code.
func codes(answers []*reply) map[string]int {
	counted := map[string]int{}
	for _, answer := range answers {
		counted[answer.code()]++
	}
	return counted
}
