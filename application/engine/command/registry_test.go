package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/ports/inbound"
)

type params struct {
	Value string `json:"value" doc:"Anything." jsonschema:"minLength=1"`
	Other int    `json:"other,omitzero" doc:"Something else."`
}

type result struct {
	Value string `json:"value" doc:"What came in."`
}

type spec = command.Spec[params, result]

func echo(_ context.Context, call command.Call, p params) (result, error) {
	if p.Value == "fail" {
		return result{}, errors.New("failed for " + call.RequestID)
	}
	return result{p.Value}, nil
}

func good() spec {
	return spec{Name: "LAB.ECHO", Summary: "Echo.", Access: access.Public(), Effect: command.Writes, Handle: echo}
}

// Whatever is wrong with a declaration stops the start, and is named.
func TestMalformedDeclarations(t *testing.T) {
	t.Parallel()
	for complaint, change := range map[string]func(*spec){
		`the name "" is not FAMILY.ACTION`:                        func(s *spec) { s.Name = "" },
		`the name "LAB" is not`:                                   func(s *spec) { s.Name = "LAB" },
		`the name "lab.echo" is not`:                              func(s *spec) { s.Name = "lab.echo" },
		`the name "LAB.ECHO.TWICE" is not`:                        func(s *spec) { s.Name = "LAB.ECHO.TWICE" },
		`the name "LAB." is not`:                                  func(s *spec) { s.Name = "LAB." },
		`the name "1AB.ECHO" is not`:                              func(s *spec) { s.Name = "1AB.ECHO" },
		`the name "LAB.ECHO\n" is not`:                            func(s *spec) { s.Name = "LAB.ECHO\n" },
		`the name "LAB-X.ECHO" is not`:                            func(s *spec) { s.Name = "LAB-X.ECHO" },
		"LAB.ECHO: the summary is not a sentence":                 func(s *spec) { s.Summary = "echo" },
		"the summary is not a sentence":                           func(s *spec) { s.Summary = "" },
		"LAB.ECHO: no effect is declared":                         func(s *spec) { s.Effect = "" },
		"no effect is declared":                                   func(s *spec) { s.Effect = "sometimes" },
		"LAB.ECHO: no handler":                                    func(s *spec) { s.Handle = nil },
		"LAB.ECHO: asks for a recent login, but takes no session": func(s *spec) { s.Access = access.Public().Recent() },
		"asks for a recent login, but takes no session":           func(s *spec) { s.Access = access.Client("audit:write").Recent() },
		"LAB.ECHO: writes for API keys or M2M tokens":             func(s *spec) { s.Access = access.User() },
		"LAB.ECHO: narrows a rule that asks for no recent login":  func(s *spec) { s.Recent = func(params) bool { return true } },
		"LAB.ECHO: emits events but reads only":                   func(s *spec) { s.Effect, s.Emits = command.Reads, []event.Kind{setting.KindUpdated} },
		"LAB.ECHO: emits lab.done, which no domain":               func(s *spec) { s.Emits = []event.Kind{"lab.done"} },
		"LAB.ECHO: limit by ip":                                   func(s *spec) { s.Limits = []limit.Spec{limit.PerMinute(limit.IP, 0)} },
		"limit by ip": func(s *spec) {
			s.Limits = []limit.Spec{{By: limit.IP, Rule: limit.Rule{Limit: 1, Window: 25 * time.Hour}}}
		},
		"LAB.ECHO: a limit by email needs a subject": func(s *spec) { s.Limits = []limit.Spec{limit.PerHour(limit.Email, 3)} },
	} {
		malformed := good()
		change(&malformed)
		registry, err := command.NewRegistry([]command.Definition{command.Define(malformed)}, setting.Events())
		if err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("NewRegistry(%v) = %v, %v, want %q", malformed, registry, err, complaint)
		}
	}
	if _, err := command.NewRegistry([]command.Definition{command.Define(good())}, nil); err != nil {
		t.Errorf("NewRegistry() of a good declaration = %v", err)
	}
}

type unfit struct {
	Value chan int `json:"value" doc:"No JSON."`
}

func idle[P, R any](name string) command.Definition {
	return command.Define(command.Spec[P, R]{
		Name: name, Summary: "Nothing.", Effect: command.Writes,
		Handle: func(context.Context, command.Call, P) (result R, err error) { return result, nil },
	})
}

func TestTypesThatHaveNoSchema(t *testing.T) {
	t.Parallel()
	ofParams, ofResult, noObject := idle[unfit, result]("LAB.ONE"), idle[params, unfit]("LAB.TWO"), idle[chan int, result]("LAB.THREE")
	registry, err := command.NewRegistry([]command.Definition{ofParams, ofResult, noObject, command.Define(good())}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = registry.Check()
	for _, flaw := range []string{"LAB.ONE: parameters: ", "LAB.TWO: result: ", "LAB.THREE: parameters: "} {
		if err == nil || !strings.Contains(err.Error(), flaw) {
			t.Errorf("Check() = %v, want %q", err, flaw)
		}
	}
	if err != nil && strings.Contains(err.Error(), "LAB.ECHO") {
		t.Errorf("Check() = %v, which names LAB.ECHO", err)
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	other := good()
	other.Summary = "Another."
	_, err := command.NewRegistry([]command.Definition{command.Define(good()), command.Define(other)}, nil)
	if err == nil || err.Error() != "LAB.ECHO is declared twice" {
		t.Errorf("NewRegistry() = %v", err)
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	var definitions []command.Definition
	for _, name := range []string{"LAB.B", "ABC.Z", "LAB.A_1"} {
		s := good()
		s.Name = name
		definitions = append(definitions, command.Define(s))
	}
	r, err := command.NewRegistry(definitions, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names, published []string
	for _, d := range r.All() {
		names = append(names, d.Family+" "+d.Name)
	}
	for _, d := range r.Catalog() {
		published = append(published, d.Family+" "+d.Name)
	}
	if want := []string{"ABC ABC.Z", "LAB LAB.A_1", "LAB LAB.B"}; !slices.Equal(names, want) || !slices.Equal(published, want) {
		t.Errorf("names = %q, published %q, want %q", names, published, want)
	}
	if d, ok := r.Find("LAB.B"); !ok || d.Name != "LAB.B" {
		t.Error("LAB.B is not to be found")
	}
	for _, name := range []string{"lab.b", "LAB.b", "LAB.C", "", "LAB.B "} {
		if _, ok := r.Find(name); ok {
			t.Errorf("%q is found", name)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	s := good()
	s.Access, s.Emits = access.Holding("users:read"), []event.Kind{setting.KindUpdated}
	s.Limits = []limit.Spec{limit.PerMinute(limit.IP, 10), limit.PerHour(limit.User, 3)}
	d := command.Define(s)
	got := d.Describe()
	if got.Name != "LAB.ECHO" || got.Family != "LAB" || got.Summary != "Echo." || got.Access != "permission:users:read" || got.Effect != "store" ||
		len(got.Limits) != 3 || got.Limits[1] != (inbound.LimitDescriptor{By: "user", Limit: 3, WindowSeconds: 3600}) ||
		got.Limits[2] != (inbound.LimitDescriptor{By: "token", Limit: 600, WindowSeconds: 60, Shared: true}) || !slices.Equal(got.Events, s.Emits) {
		t.Errorf("described as %+v", got)
	}
	var example struct {
		Command string
		Params  json.RawMessage
	}
	if err := json.Unmarshal(got.Example, &example); err != nil || example.Command != "LAB.ECHO" || len(d.Params.Validate(example.Params)) > 0 {
		t.Errorf("example = %s, %v", got.Example, err)
	}
	bare := command.Define(good())
	if text, err := json.Marshal(bare.Describe()); err != nil || strings.Contains(string(text), "null") {
		t.Errorf("described as %s, %v", text, err)
	}
}

// An anonymous command counts by address, by its own rule or the general one.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	byUser, byAddress := limit.PerMinute(limit.User, 3), limit.PerMinute(limit.IP, 6000)
	named := func(context.Context, params) (command.Subject, error) { return command.Subject{Counted: "x"}, nil }
	for name, c := range map[string]struct {
		access access.Rule
		own    []limit.Spec
		want   []limit.Spec
	}{
		"public":         {access.Public(), nil, []limit.Spec{command.AnonymousLimit()}},
		"optional":       {access.Optional(), nil, []limit.Spec{command.AnonymousLimit()}},
		"with another":   {access.Public(), []limit.Spec{byUser}, []limit.Spec{command.AnonymousLimit(), byUser}},
		"with its own":   {access.Public(), []limit.Spec{byUser, byAddress}, []limit.Spec{byUser, byAddress}},
		"authenticated":  {access.User(), []limit.Spec{byUser}, []limit.Spec{byUser}},
		"without limits": {access.Superadmin(), nil, nil},
	} {
		s := good()
		s.Access, s.Limits, s.Subject = c.access, c.own, named
		d := command.Define(s)
		if got := d.DefaultLimits(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if !slices.Equal(d.Limits, c.own) {
			t.Errorf("%s: the declared limits are %v now", name, d.Limits)
		}
	}
	if a, o := command.AnonymousLimit(), command.OverallLimit(); a != limit.PerMinute(limit.IP, 60) || o != limit.PerMinute(limit.Token, 600) {
		t.Errorf("%v and %v", a, o)
	}
}

func TestErasedTypes(t *testing.T) {
	t.Parallel()
	s := good()
	d := command.Define(s)
	arguments, err := d.Decode([]byte(`{"value":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Handle(t.Context(), command.Call{}, arguments); err != nil || got != (result{"x"}) {
		t.Errorf("Handle() = %v, %v", got, err)
	}
	arguments, _ = d.Decode([]byte(`{"value":"fail"}`))
	if _, err := d.Handle(t.Context(), command.Call{RequestID: "7"}, arguments); err == nil || err.Error() != "failed for 7" {
		t.Errorf("Handle() = %v", err)
	}
	if _, err := d.Decode([]byte(`{"value":1}`)); fault.From(err).Code != fault.Validation {
		t.Errorf("Decode() = %v", err)
	}
	if subject, err := d.Subject(t.Context(), arguments); !reflect.DeepEqual(subject, command.Subject{}) || err != nil {
		t.Errorf("Subject() without one = %+v, %v", subject, err)
	}
	s.Subject = func(ctx context.Context, p params) (command.Subject, error) {
		return command.Subject{Counted: p.Value, Session: "ses_01jd7x9k2mf3q8v5t0abcdefgh", Token: "jti"}, ctx.Err()
	}
	want := command.Subject{Counted: "fail", Session: "ses_01jd7x9k2mf3q8v5t0abcdefgh", Token: "jti"}
	if subject, err := command.Define(s).Subject(t.Context(), arguments); !reflect.DeepEqual(subject, want) || err != nil {
		t.Errorf("Subject() = %+v, %v, want %+v", subject, err, want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := command.Define(s).Subject(ended, arguments); !errors.Is(err, context.Canceled) {
		t.Errorf("Subject() under a context that has ended = %v", err)
	}
}

// The kinds of callers of a command are published beside its rule.
func TestCallers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule access.Rule
		want []string
	}{
		"public":             {access.Public(), []string{"session", "api_key", "app", "delegated", "impersonation"}},
		"optional":           {access.Optional(), []string{"session", "api_key", "app", "delegated", "impersonation"}},
		"user":               {access.User(), []string{"session", "api_key", "impersonation"}},
		"user in person":     {access.User().InPerson(), []string{"session"}},
		"anybody":            {access.Anybody(), []string{"session", "api_key", "app", "impersonation"}},
		"permission":         {access.Holding("users:read"), []string{"session", "api_key", "app", "delegated", "impersonation"}},
		"permission no app":  {access.Holding("users:read").But(access.App), []string{"session", "api_key", "delegated", "impersonation"}},
		"permission, recent": {access.Holding("users:read").Recent(), []string{"session", "api_key", "app"}},
		"user for clients":   {access.User().Delegated(), []string{"session", "api_key", "impersonation", "delegated"}},
		"superadmin":         {access.Superadmin(), []string{"session"}},
		"client":             {access.Client("api_keys:verify"), []string{"app"}},
		"nobody":             {access.Superadmin().But(access.Person), []string{}},
	} {
		s := good()
		s.Access = c.rule
		d := command.Define(s)
		got := d.Describe()
		if !slices.Equal(got.Callers, c.want) || got.Access != c.rule.String() {
			t.Errorf("%s: access %s by %q, want %q", name, got.Access, got.Callers, c.want)
		}
		if text, err := json.Marshal(got); err != nil || !strings.Contains(string(text), `"callers":[`) {
			t.Errorf("%s: published as %s, %v", name, text, err)
		}
	}
}
