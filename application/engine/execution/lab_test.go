package execution_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/execution"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// params and result are those of all commands of these tests.
type params struct {
	Value string `json:"value" doc:"Anything." jsonschema:"minLength=1,maxLength=50"`
}

type result struct {
	Value  string       `json:"value" doc:"What came in."`
	Secret secret.Shown `json:"secret" doc:"Something to hide."`
}

type (
	spec    = command.Spec[params, result]
	handler = func(ctx context.Context, call command.Call, p params) (result, error)
)

// lab is an engine of its own over the parts of a real service, with commands
// that a test makes up.
type lab struct {
	*harness.Service

	t        *testing.T
	engine   *execution.Engine
	logs     *logs
	observed *observed
	// undeclared are the kinds that the engine complained about.
	undeclared []event.Kind
}

func newLab(t *testing.T, specs ...spec) *lab {
	t.Helper()
	return over(t, harness.New(t), specs...)
}

// over returns a lab on the parts of a service.
func over(t *testing.T, h *harness.Service, specs ...spec) *lab {
	t.Helper()
	l := &lab{Service: h, t: t, logs: &logs{}, observed: &observed{}}
	var definitions []command.Definition
	for _, s := range specs {
		definitions = append(definitions, command.Define(s))
	}
	registry, err := command.NewRegistry(definitions, slices.Concat(setting.Events(), session.Events()))
	if err != nil {
		t.Fatalf("the commands of the test are declared wrongly: %v", err)
	}
	engine := *h.Engine
	engine.Registry, engine.Clock, engine.Observer = registry, h.Clock, l.observed
	engine.Logger = slog.New(slog.NewJSONHandler(l.logs, nil))
	engine.Undeclared = func(_ string, kind event.Kind) { l.undeclared = append(l.undeclared, kind) }
	l.engine = &engine
	l.engine.Prepare()
	return l
}

// writes is a command that anybody who is logged in may call, and that declares
// the event of record.
func writes(handle handler) spec {
	return spec{
		Name: "LAB.WRITE", Summary: "Write something.", Access: access.User().Unscoped(), Effect: command.Writes,
		Emits: []event.Kind{setting.KindUpdated}, Handle: handle,
	}
}

// reads is a command that changes nothing.
func reads(name string, rule access.Rule) spec {
	return spec{Name: name, Summary: "Read something.", Access: rule, Effect: command.Reads, Handle: echo}
}

func echo(_ context.Context, _ command.Call, p params) (result, error) {
	return result{Value: p.Value, Secret: "hush"}, nil
}

// record stores one event in a unit of work.
func (l *lab) record(ctx context.Context) error {
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) outbound.Events { return tx.Events() })
	return unit.Do(ctx, func(tx outbound.Events) error {
		return tx.Record(ctx, setting.Updated{Changed: []string{"lab"}})
	})
}

// recorded is how many events record has left behind.
func (l *lab) recorded() int { return len(l.Events(setting.KindUpdated)) }

// ask is one request, by default a good one of LAB.WRITE.
type ask struct {
	command string
	who     *harness.Actor
	// authorization stands in the place of who's.
	authorization string
	params        string
	key           string
	dryRun        bool
	ip            string
	// proof is the DPoP header, for a POST of /api/v1/execute.
	proof string
	// refused is what the transport found wrong.
	refused *fault.Error
}

func (l *lab) do(a ask) *answer {
	l.t.Helper()
	request := inbound.Request{
		Command: a.command, Params: []byte(a.params), DryRun: a.dryRun, IdempotencyKey: a.key,
		Authorization: a.authorization, UserAgent: "lab", RequestID: "req-lab", IP: netip.MustParseAddr("192.0.2.1"),
		DPoP: a.proof, Method: "POST", Path: "/api/v1/execute", Refused: a.refused,
	}
	if a.command == "" {
		request.Command = "LAB.WRITE"
	}
	if a.params == "" {
		request.Params = []byte(`{"value":"x"}`)
	}
	if a.ip != "" {
		request.IP = netip.MustParseAddr(a.ip)
	}
	if a.who != nil {
		request.Authorization = "Bearer " + a.who.AccessToken
	}
	return &answer{Reply: l.engine.Execute(l.t.Context(), request), t: l.t}
}

// answer is a reply that a test judges.
type answer struct {
	inbound.Reply

	t *testing.T
}

func (a *answer) ok() *answer {
	a.t.Helper()
	if a.Failure != nil {
		a.t.Fatalf("%s failed with %v, want success", a.Command, a.Failure)
	}
	return a
}

func (a *answer) fails(code fault.Code) *answer {
	a.t.Helper()
	if a.Failure == nil || a.Failure.Code != code || a.Data != nil {
		a.t.Fatalf("%s = %s, %v, want %s", a.Command, a.Data, a.Failure, code)
	}
	return a
}

// is fails the test unless the call succeeded with this JSON.
func (a *answer) is(want string) *answer {
	a.t.Helper()
	if got := string(a.ok().Data); got != want {
		a.t.Fatalf("%s = %s, want %s", a.Command, got, want)
	}
	return a
}

// logs keeps what the engine logs.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lines are the entries logged so far.
func (l *logs) lines(t *testing.T) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var entries []map[string]any
	for line := range bytes.Lines(l.text.Bytes()) {
		var entry map[string]any
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("the log holds %q: %v", line, err)
		}
		entries = append(entries, entry)
	}
	return entries
}

// observed keeps what the engine measures.
type observed struct {
	mu    sync.Mutex
	calls []string
	took  []time.Duration
}

func (o *observed) Command(_ context.Context, name, code string, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls, o.took = append(o.calls, name+" "+code), append(o.took, took)
}

// perMinute is a short way to limits.
func perMinute(by limit.Key, n int) []limit.Spec { return []limit.Spec{limit.PerMinute(by, n)} }
