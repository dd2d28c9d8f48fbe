package social_test

import (
	"errors"
	"reflect"
	"testing"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
)

func ptr[T any](v T) *T { return &v }

func given[T any](v T) social.Field[T] { return social.Field[T]{Given: true, Value: &v} }

func TestResolve(t *testing.T) {
	t.Parallel()
	env := social.Environment{ClientID: "env", ClientSecret: secret.New("hush")}
	for what, c := range map[string]struct {
		env    social.Environment
		set    social.Overrides
		on     bool
		id     string
		signup bool
		source social.Source
	}{
		"nothing":                     {source: social.FromNowhere, signup: true},
		"the environment":             {env: env, on: true, id: "env", signup: true, source: social.FromEnvironment},
		"switched off":                {env: env, set: social.Overrides{Enabled: ptr(false)}, id: "env", signup: true, source: social.FromStore},
		"another client":              {env: env, set: social.Overrides{ClientID: ptr("own")}, on: true, id: "own", signup: true, source: social.FromStore},
		"a client without a secret":   {set: social.Overrides{ClientID: ptr("own")}, id: "own", signup: true, source: social.FromStore},
		"on, without anything":        {set: social.Overrides{Enabled: ptr(true)}, signup: true, source: social.FromStore},
		"a client of the store alone": {set: social.Overrides{ClientID: ptr("own"), ClientSecret: ptr(secret.New("x"))}, on: true, id: "own", signup: true, source: social.FromStore},
		"no sign-up":                  {env: env, set: social.Overrides{AllowSignup: ptr(false)}, on: true, id: "env", source: social.FromStore},
	} {
		got := social.Resolve(social.GitHub, c.env, c.set)
		if got.Enabled != c.on || got.ID != c.id || got.AllowSignup != c.signup || got.Source != c.source {
			t.Errorf("%s: %+v", what, got)
		}
		if !reflect.DeepEqual(got.Scopes, social.GitHub.DefaultScopes()) {
			t.Errorf("%s: scopes %q", what, got.Scopes)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	env := social.Environment{ClientID: "env", ClientSecret: secret.New("hush")}
	s := social.Unset(social.Google)
	if err := s.Set(social.Change{Enabled: given(true)}, social.Environment{}); !errors.Is(err, social.ErrIncomplete) || s.Changed() {
		t.Errorf("switched on without a client: %v", err)
	}
	change := social.Change{Enabled: given(true), Scopes: given([]string{"email"}), ClientSecret: given(secret.New("new"))}
	for _, want := range [][]string{{"client_secret", "scopes", "enabled"}, nil} {
		if err := s.Set(change, env); err != nil {
			t.Fatal(err)
		}
		events := s.Stored()
		switch {
		case want == nil && len(events) != 0:
			t.Errorf("setting the same again raised %v", events)
		case want != nil && (len(events) != 1 || !reflect.DeepEqual(events[0], social.ProviderUpdated{Provider: social.Google, Changed: want})):
			t.Errorf("raised %+v, want %q", events, want)
		}
	}
	// null goes back to the environment's value, what is absent stays.
	if err := s.Set(social.Change{ClientSecret: social.Field[secret.String]{Given: true}}, env); err != nil {
		t.Fatal(err)
	}
	o := s.Overrides()
	if o.ClientSecret != nil || o.Scopes == nil || o.Enabled == nil || o.ClientID != nil {
		t.Errorf("overrides = %+v", o)
	}
	if events := s.Stored(); len(events) != 1 {
		t.Errorf("raised %v", events)
	}
	// Without the environment's secret it could not stay on.
	if err := s.Set(social.Change{ClientID: given("x")}, social.Environment{}); !errors.Is(err, social.ErrIncomplete) {
		t.Errorf("err = %v", err)
	}
}
