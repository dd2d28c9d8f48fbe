// Package setting holds the settings of the instance that may change while it
// runs. The environment gives their defaults; what an administrator stores wins.
package setting

import (
	"time"

	"gatehouse.internal/domain/event"
)

// Values is every setting with its value in force.
type Values struct {
	PublicRegistration  bool     `json:"public_registration" doc:"Whether anybody may sign up."`
	AccessTokenSeconds  int      `json:"access_token_seconds" doc:"Lifetime of an access token in seconds." jsonschema:"minimum=60,maximum=86400"`
	RefreshRetrySeconds int      `json:"refresh_retry_seconds" doc:"Seconds in which a refresh token that was just replaced may be presented again because its answer was lost; 0 switches retries off." jsonschema:"minimum=0,maximum=60"`
	CORSOrigins         []string `json:"cors_origins" doc:"Origins of browser pages that may call this service, such as https://app.example.com; * stands for any." jsonschema:"maxItems=100"`
}

// Defaults are the values without environment or store.
func Defaults() Values {
	return Values{PublicRegistration: true, AccessTokenSeconds: 900, RefreshRetrySeconds: 10, CORSOrigins: []string{}}
}

// AccessTokenLife is the lifetime of an access token.
func (v Values) AccessTokenLife() time.Duration {
	return time.Duration(v.AccessTokenSeconds) * time.Second
}

// RefreshRetry is the retry window of a replaced refresh token.
func (v Values) RefreshRetry() time.Duration {
	return time.Duration(v.RefreshRetrySeconds) * time.Second
}

// KindUpdated is the kind of Updated.
const KindUpdated event.Kind = "settings.updated"

// Updated is the content of settings.updated.
type Updated struct {
	Changed []string `json:"changed" doc:"Names of the settings that were set or reset."`
}

// Kind is settings.updated.
func (Updated) Kind() event.Kind { return KindUpdated }

// Concerns files the event under the instance.
func (Updated) Concerns() event.Concern { return event.Concern{} }

// Events describes the kinds of this package for the catalogue.
func Events() []event.Definition {
	return []event.Definition{{Summary: "Runtime settings changed.", Example: Updated{[]string{"public_registration"}}}}
}
