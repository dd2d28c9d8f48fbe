package view

import (
	"encoding/json"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// AuditEntry is an event in results.
type AuditEntry struct {
	ID        event.ID        `json:"id" doc:"ID of the event."`
	Type      event.Kind      `json:"type" doc:"Type of the event. EVENT.KIND_GET describes it."`
	At        time.Time       `json:"at" doc:"When the event happened."`
	Outcome   event.Outcome   `json:"outcome" doc:"Whether the action succeeded." jsonschema:"enum=success,enum=failure"`
	UserID    *user.ID        `json:"user_id" doc:"ID of the user the event is about."`
	OrgID     *workspace.ID   `json:"org_id" doc:"ID of the workspace the event belongs to."`
	Actor     Actor           `json:"actor" doc:"Actor that caused the event."`
	SessionID *session.ID     `json:"session_id" doc:"ID of the session used. Null if none was used or you are not allowed to see it."`
	APIKeyID  *apikey.ID      `json:"api_key_id" doc:"ID of the API key used. Null if none was used or you are not allowed to see it."`
	IP        *string         `json:"ip" doc:"IP address of the request. Null if unknown or you are not allowed to see it."`
	UserAgent *string         `json:"user_agent" doc:"User-Agent header of the request. Null if unknown or you are not allowed to see it."`
	RequestID *string         `json:"request_id" doc:"X-Request-Id of the request."`
	Command   *string         `json:"command" doc:"Command that was executed. Null for background work."`
	Data      json.RawMessage `json:"data" doc:"Content of the event, as described by the schema of its type."`
}

// Actor is the actor of an event.
type Actor struct {
	Kind string  `json:"kind" doc:"Kind of actor. anonymous is a request without a credential; system is the service itself." jsonschema:"enum=user,enum=app,enum=anonymous,enum=system"`
	ID   *string `json:"id" doc:"ID of the actor. Null if it has none."`
	// OnBehalfOf is set where support acts as a person.
	OnBehalfOf user.ID `json:"on_behalf_of,omitzero" doc:"ID of the user the actor impersonated. Not set without impersonation."`
}

// ActorOf shows who caused something.
func ActorOf(o event.Origin) Actor {
	return Actor{Kind: o.ActorKind, ID: Text(o.ActorID), OnBehalfOf: user.ID(o.OnBehalfOf)}
}

// OfEvent shows an event.
func OfEvent(r event.Record) AuditEntry {
	through := r.Origin.Credential
	held, _ := session.ParseID(through)
	key, _ := apikey.ParseID(through)
	return AuditEntry{
		ID: r.ID, Type: r.Kind, At: r.At, Outcome: r.Outcome,
		UserID: Text(user.ID(r.UserID)), OrgID: Text(workspace.ID(r.OrgID)),
		Actor:     ActorOf(r.Origin),
		SessionID: Text(held), APIKeyID: Text(key), IP: Text(r.Origin.IP), UserAgent: Text(r.Origin.UserAgent),
		RequestID: Text(r.Origin.RequestID), Command: Text(r.Origin.Command), Data: r.Data,
	}
}

// Text returns a text that may be absent.
func Text[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
