package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
)

func catalog() []inbound.Descriptor {
	return []inbound.Descriptor{
		{
			Name: "APP.REGISTER", Family: "APP", Summary: "Register an application.", Access: "permission:apps:write", Effect: "store",
			Params: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name","redirect_urls"],"properties":{
				"name":{"type":"string","description":"Name."},
				"redirect_urls":{"type":"array","items":{"type":"string"},"description":"Where logins may return to."},
				"kind":{"type":"string","enum":["web","native"],"default":"web","description":"What it is."},
				"note":{"type":["string","null"],"description":"Anything."},
				"limit":{"type":"integer","minimum":1,"maximum":200,"description":"How many."},
				"ratio":{"type":"number","description":"A share."},
				"public":{"type":"boolean","description":"Whether it keeps no secret."},
				"metadata":{"type":"object","description":"Your own."},
				"when":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"Later."},
				"either":{"oneOf":[{"type":"integer"},{"type":"string"}],"description":"One or the other."},
				"any":{"description":"Whatever."}}}`),
			Result: json.RawMessage(`{"type":"object","properties":{
				"app":{"type":"object","properties":{"id":{"type":"string","format":"uuid","description":"Identifier."},"slug":{"type":"string"}}},
				"keys":{"type":"array","items":{"type":"object","properties":{"kid":{"type":"string"}}}}}}`),
			Example: json.RawMessage(`{"command":"APP.REGISTER","params":{"name":"My app's","redirect_urls":["https://a.test/cb"],"limit":5}}`),
		},
		{
			Name: "AUTH.LOGIN", Family: "AUTH", Summary: "Log in with a password.", Access: "public", Effect: "store",
			Limits: []inbound.LimitDescriptor{{By: "ip", Limit: 10, WindowSeconds: 60}}, Events: []event.Kind{"session.created", "login.failed"},
			Params: json.RawMessage(`{"type":"object","required":["email","password"],"properties":{
				"email":{"type":"string","format":"email","description":"Address of the account."},
				"password":{"type":"string","writeOnly":true,"description":"Its password."}}}`),
			Result:  json.RawMessage(`{"type":"object","properties":{"access_token":{"type":"string","description":"For the Authorization header."},"expires_in":{"type":"integer","description":"Seconds."}}}`),
			Example: json.RawMessage(`{"command":"AUTH.LOGIN","params":{"email":"alice@example.com","password":"correct horse"}}`),
		},
		{
			Name: "AUTH.REAUTHENTICATE", Family: "AUTH", Summary: "Prove that it is you.", Access: "user", Effect: "store",
			Params:  json.RawMessage(`{"type":"object","properties":{"password":{"type":"string","writeOnly":true}}}`),
			Result:  json.RawMessage(`{"type":"object","properties":{"access_token":{"type":"string"},"refresh_token":{"type":"string"}}}`),
			Example: json.RawMessage(`{"command":"AUTH.REAUTHENTICATE","params":{}}`),
		},
		{
			Name: "USER.LIST", Family: "USER", Summary: "List accounts.", Access: "permission:users:read", Effect: "none",
			Params: json.RawMessage(`{"type":"object","properties":{"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":200}}}`),
			Result: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{
				"id":{"type":"string"},"name":{"type":"string"},"address":{"type":"object","properties":{"city":{"type":"string"}}}}}},"next_cursor":{"type":"string"}}}`),
			Example: json.RawMessage(`{"command":"USER.LIST","params":{}}`),
		},
		{
			Name: "USER.ME", Family: "USER", Summary: "Your profile.", Access: "user", Effect: "none",
			Params: json.RawMessage(`{"type":"object","properties":{}}`), Result: json.RawMessage(`{"type":"object"}`), Example: json.RawMessage(`{"command":"USER.ME","params":{}}`),
		},
	}
}

// session is an invocation and its result.
type session struct {
	in       string
	terminal bool
	env      map[string]string
	typed    []string // responses to prompts without echo; nil if In is not a terminal
	program  cli.Program
	ctx      context.Context
	lines    []string             // responses to prompts with echo; nil if In is not a terminal
	browser  func(address string) // opens an address; nil if there is no browser
	config   string               // the user's configuration directory; a new one if empty
	width    int
	later    time.Duration // offset of the clock
}

type outcome struct {
	code     int
	out, err string
}

func (s session) run(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	stdio := cli.Stdio{
		In: strings.NewReader(s.in), Out: &out, Err: &errs, Terminal: s.terminal,
		Getenv: func(name string) string { return s.env[name] },
	}
	if s.typed != nil {
		left := s.typed
		stdio.ReadSecret = func(context.Context, string) (string, error) {
			if len(left) == 0 {
				return "", io.EOF
			}
			next := left[0]
			left = left[1:]
			return next, nil
		}
	}
	if s.lines != nil {
		left := s.lines
		stdio.ReadLine = func(context.Context, string) (string, error) {
			if len(left) == 0 {
				return "", io.EOF
			}
			next := left[0]
			left = left[1:]
			return next, nil
		}
	}
	if s.config == "" {
		s.config = t.TempDir()
	}
	if s.browser != nil {
		stdio.Browse = func(_ context.Context, address string) error {
			s.browser(address)
			return nil
		}
	}
	stdio.Width, stdio.Machine = s.width, "büro laptop"
	stdio.ConfigDir = func() (string, error) { return s.config, nil }
	stdio.Now = func() time.Time { return time.Now().Add(s.later) }
	s.program.Version = "v0.4.0"
	if s.program.Catalog == nil {
		s.program.Catalog = catalog
	}
	listed := s.program.Catalog
	s.program.Describe = func(name string) (inbound.Descriptor, bool) {
		all := listed()
		at := slices.IndexFunc(all, func(d inbound.Descriptor) bool { return d.Name == name })
		return all[max(at, 0)], at >= 0
	}
	if s.ctx == nil {
		s.ctx = t.Context()
	}
	code := cli.Main(s.ctx, args, s.program, stdio)
	return outcome{code, out.String(), errs.String()}
}

// service is a loopback service that records its requests.
type service struct {
	url string

	guard  sync.Mutex
	bodies []string
	header http.Header
}

func newService(t *testing.T, status int, answer string) *service {
	t.Helper()
	s := &service{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.guard.Lock()
		s.bodies, s.header = append(s.bodies, r.Method+" "+r.URL.Path+" "+string(body)), r.Header.Clone()
		s.guard.Unlock()
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

const fine = `{"ok":true,"command":"X","data":{"b":1,"a":[2,"<é>"]},"error":null}`
