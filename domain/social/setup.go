package social

import (
	"slices"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// ErrIncomplete is returned for enabling a provider without credentials.
var ErrIncomplete = fault.Invalid("/enabled", "client_id and client_secret are required to enable the provider")

// Source is where the configuration of a provider comes from.
type Source string

// The sources.
const (
	FromNowhere     Source = "none"
	FromEnvironment Source = "environment"
	FromStore       Source = "store"
)

// Client is the client registration at a provider.
type Client struct {
	Provider    Provider
	ID          string
	Secret      secret.String
	Scopes      []string
	Enabled     bool
	AllowSignup bool
	Source      Source
}

// Environment is the configuration of a provider in the environment.
type Environment struct {
	ClientID     string
	ClientSecret secret.String
}

// Overrides are values set by an administrator over the environment; nil for unset.
type Overrides struct {
	ClientID     *string        `audit:"client_id"`
	ClientSecret *secret.String `audit:"-"`
	Scopes       *[]string      `audit:"scopes"`
	Enabled      *bool          `audit:"enabled"`
	AllowSignup  *bool          `audit:"allow_signup"`
}

func (o Overrides) any() bool {
	return o.ClientID != nil || o.ClientSecret != nil || o.Scopes != nil || o.Enabled != nil || o.AllowSignup != nil
}

// Resolve returns the effective configuration. A provider is enabled if it has
// credentials, unless it was disabled.
func Resolve(p Provider, env Environment, o Overrides) Client {
	c := Client{Provider: p, ID: env.ClientID, Secret: env.ClientSecret, Scopes: p.DefaultScopes(), AllowSignup: true, Source: FromNowhere}
	switch {
	case o.any():
		c.Source = FromStore
	case env.ClientID != "":
		c.Source = FromEnvironment
	}
	put(&c.ID, o.ClientID)
	put(&c.Secret, o.ClientSecret)
	put(&c.Scopes, o.Scopes)
	put(&c.AllowSignup, o.AllowSignup)
	complete := c.ID != "" && !c.Secret.Empty()
	c.Enabled = complete && (o.Enabled == nil || *o.Enabled)
	return c
}

func put[T any](into, set *T) {
	if set != nil {
		*into = *set
	}
}

// Setup is the configuration of a provider by an administrator.
type Setup struct {
	aggregate.Root
	provider Provider
	o        Overrides
}

// Unset returns the setup of a provider of which nothing was ever set.
func Unset(p Provider) *Setup { return Restore(p, Overrides{}, 0) }

// Restore returns the setup that was stored.
func Restore(p Provider, o Overrides, version int64) *Setup {
	s := &Setup{Root: aggregate.At(version), provider: p, o: o}
	s.Track(&s.o)
	return s
}

// Provider returns the provider.
func (s *Setup) Provider() Provider { return s.provider }

// Overrides returns the state to store.
func (s *Setup) Overrides() Overrides { return s.o }

// Field is a change of a value: Given reports whether it changes; a nil Value resets it
// to the environment's.
type Field[T any] struct {
	Given bool
	Value *T
}

// Change is a partial update; fields that are not given stay unchanged.
type Change struct {
	ClientID     Field[string]
	ClientSecret Field[secret.String]
	Scopes       Field[[]string]
	Enabled      Field[bool]
	AllowSignup  Field[bool]
}

// Set changes the setup. What is set to the value it has raises nothing. It fails
// with ErrIncomplete when the provider would be switched on without credentials.
func (s *Setup) Set(c Change, env Environment) error {
	next, changed := s.o, []string{}
	note := func(name string, differs bool) {
		if differs {
			changed = append(changed, name)
		}
	}
	note("client_id", assign(&next.ClientID, c.ClientID, equal[string]))
	note("client_secret", assign(&next.ClientSecret, c.ClientSecret, equal[secret.String]))
	note("scopes", assign(&next.Scopes, c.Scopes, slices.Equal[[]string]))
	note("enabled", assign(&next.Enabled, c.Enabled, equal[bool]))
	note("allow_signup", assign(&next.AllowSignup, c.AllowSignup, equal[bool]))
	if next.Enabled != nil && *next.Enabled && !Resolve(s.provider, env, next).Enabled {
		return ErrIncomplete
	}
	if s.o = next; len(changed) > 0 {
		s.Raise(ProviderUpdated{Provider: s.provider, Changed: changed})
	}
	return nil
}

func equal[T comparable](a, b T) bool { return a == b }

// assign carries a change of one value out, and reports whether it changed anything.
func assign[T any](into **T, change Field[T], same func(a, b T) bool) bool {
	before := *into
	if !change.Given {
		return false
	}
	*into = change.Value
	if before == nil || change.Value == nil {
		return before != change.Value
	}
	return !same(*before, *change.Value)
}

// KindProviderUpdated is the kind of ProviderUpdated.
const KindProviderUpdated event.Kind = "social_provider.updated"

// ProviderUpdated is the content of social_provider.updated.
type ProviderUpdated struct {
	Provider Provider `json:"provider" doc:"Provider that was configured."`
	Changed  []string `json:"changed" doc:"Names of the values that were set or reset to the environment."`
}

// Kind is social_provider.updated.
func (ProviderUpdated) Kind() event.Kind { return KindProviderUpdated }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "A sign-in provider was configured, enabled or disabled.",
		Example: ProviderUpdated{Google, []string{"enabled"}},
	}}
}
