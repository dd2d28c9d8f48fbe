package client_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/bootstrap"
)

// recorder is a transport that keeps the last call, and answers all of them the same.
type recorder struct {
	command, params string
	answer          string
	err             error
}

func (r *recorder) Execute(_ context.Context, command string, params []byte) ([]byte, error) {
	r.command, r.params = command, string(params)
	return []byte(r.answer), r.err
}

// methods returns the type of the parameters of each command.
func methods(t *testing.T) map[string]reflect.Type {
	t.Helper()
	to := &recorder{answer: "{}"}
	of := reflect.ValueOf(client.Client{Transport: to})
	found := map[string]reflect.Type{}
	for i := range of.NumMethod() {
		if method := of.Method(i).Type(); method.NumIn() == 2 {
			of.Method(i).Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.Zero(method.In(1))})
			found[to.command] = method.In(1)
		}
	}
	return found
}

// The example of each command passes through the types of its parameters unchanged.
func TestExamples(t *testing.T) {
	t.Parallel()
	commands, _, err := bootstrap.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	types := methods(t)
	for _, d := range commands {
		var example struct {
			Params jsontext.Value `json:"params"`
		}
		if err := json.Unmarshal(d.Example, &example); err != nil {
			t.Fatal(err)
		}
		if types[d.Name] == nil {
			t.Errorf("%s has no method", d.Name)
			continue
		}
		params := reflect.New(types[d.Name])
		if err := json.Unmarshal(example.Params, params.Interface(), json.RejectUnknownMembers(true)); err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		sent, err := json.Marshal(params.Interface(), json.Deterministic(true))
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		if got := jsontext.Value(sent); got.Canonicalize() != nil || example.Params.Canonicalize() != nil || string(got) != string(example.Params) {
			t.Errorf("%s sends %s, want %s", d.Name, got, example.Params)
		}
	}
}

// An optional parameter that is not given is omitted; one that is zero, empty or null is sent.
func TestOptionalParameters(t *testing.T) {
	t.Parallel()
	to := &recorder{answer: "{}"}
	c := client.Client{Transport: to}
	for want, call := range map[string]func() error{
		`{"user_id":"usr_1"}`: func() error {
			_, err := c.UserUpdate(t.Context(), client.UserUpdateParams{UserID: client.Given("usr_1"), Avatar: client.Given("")})
			return err
		},
		`{"avatar":""}`: func() error {
			_, err := c.UserUpdate(t.Context(), client.UserUpdateParams{Avatar: new("")})
			return err
		},
		`{"webhook_id":"whk_1","enabled":false,"headers":{},"rate_limit":0}`: func() error {
			_, err := c.WebhookUpdate(t.Context(), client.WebhookUpdateParams{WebhookID: "whk_1", Enabled: new(false), Headers: map[string]string{}, RateLimit: new(0)})
			return err
		},
		`{"name":null,"logo_url":"https://example.com/l.png"}`: func() error {
			_, err := c.BrandingSet(t.Context(), client.BrandingSetParams{Name: client.Null[string](), LogoURL: client.Set("https://example.com/l.png")})
			return err
		},
		`{}`: func() error { return c.Do(t.Context(), "USER.ME", struct{}{}, nil) },
	} {
		if err := call(); err != nil || to.params != want {
			t.Errorf("sent %s, %v, want %s", to.params, err, want)
		}
	}
}

// A result is read whether its members are null, missing, or of a later release.
func TestResults(t *testing.T) {
	t.Parallel()
	to := &recorder{answer: `{"items":[{"id":"usr_1","status":"frozen","created_at":"2035-01-31T15:04:05Z","since":"later"}],"next_cursor":null,"total":1}`}
	c := client.Client{Transport: to}
	got, err := c.UserList(t.Context(), client.UserListParams{Status: new(client.UserFilterStatusActive)})
	if err != nil || to.command != "USER.LIST" || len(got.Items) != 1 || got.NextCursor != "" || got.Total != 1 {
		t.Fatalf("%s answers %+v, %v", to.command, got, err)
	}
	if one := got.Items[0]; one.Status != "frozen" || !one.CreatedAt.Equal(time.Date(2035, 1, 31, 15, 4, 5, 0, time.UTC)) || !one.LastLoginAt.IsZero() {
		t.Errorf("read %+v", one)
	}
}

// What the transport reports comes through, and what cannot be written is not sent.
func TestFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	to := &recorder{err: broken}
	c := client.Client{Transport: to}
	if _, err := c.UserMe(t.Context(), client.UserMeParams{}); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	to.command = ""
	_, err := c.AuthLogin(t.Context(), client.AuthLoginParams{Email: "\xff"})
	if !errors.Is(err, client.ErrParams) || to.command != "" {
		t.Errorf("%s was sent, and the error is %v", to.command, err)
	}
	to.err, to.answer = nil, "["
	if _, err := c.UserMe(t.Context(), client.UserMeParams{}); err == nil {
		t.Error("a broken result is read")
	}
}
