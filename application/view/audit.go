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
	ID        event.ID        `json:"id" doc:"Identifier of the event."`
	Type      event.Kind      `json:"type" doc:"What happened; EVENT.KIND_GET describes it."`
	At        time.Time       `json:"at" doc:"When it happened."`
	Outcome   event.Outcome   `json:"outcome" doc:"Whether what was tried succeeded." jsonschema:"enum=success,enum=failure"`
	UserID    *user.ID        `json:"user_id" doc:"Whom it is about."`
	OrgID     *workspace.ID   `json:"org_id" doc:"The workspace it belongs to."`
	Actor     Actor           `json:"actor" doc:"Who caused it."`
	SessionID *session.ID     `json:"session_id" doc:"The session it was caused through."`
	APIKeyID  *apikey.ID      `json:"api_key_id" doc:"The API key it was caused through."`
	IP        *string         `json:"ip" doc:"Address it was caused from."`
	UserAgent *string         `json:"user_agent" doc:"What the client called itself."`
	RequestID *string         `json:"request_id" doc:"X-Request-Id of the request."`
	Command   *string         `json:"command" doc:"Command that was executed; null for background work."`
	Data      json.RawMessage `json:"data" doc:"The content, as the schema of its type describes it."`
}

// Actor is the actor of an event.
type Actor struct {
	Kind string  `json:"kind" doc:"What it is; anonymous is a request without a credential, system the service itself." jsonschema:"enum=user,enum=app,enum=anonymous,enum=system"`
	ID   *string `json:"id" doc:"Identifier; null without one."`
	// OnBehalfOf is set where support acts as a person.
	OnBehalfOf user.ID `json:"on_behalf_of,omitzero" doc:"The person whom they acted as, by an impersonation; absent: nobody."`
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
