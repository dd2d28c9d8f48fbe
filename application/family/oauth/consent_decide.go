package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
)

// ConsentDecideParams are the parameters of OAUTH.CONSENT_DECIDE.
type ConsentDecideParams struct {
	RequestID string   `json:"request_id" doc:"ID of the request, as OAUTH.AUTHORIZE returned it in this session." jsonschema:"minLength=1,maxLength=4096,example=urn:ietf:params:oauth:request_uri:bwc4JK-ESC0w8acc191e-Y1LTC2"`
	Approve   bool     `json:"approve" doc:"Whether the client gets what it requests."`
	Scopes    []string `json:"scopes,omitzero" doc:"Requested scopes to grant. Defaults to all of them." jsonschema:"maxItems=200"`
}

func (s *Service) consentDecide() command.Definition {
	return command.Define(command.Spec[ConsentDecideParams, AuthorizeResult]{
		Name:        "OAUTH.CONSENT_DECIDE",
		Summary:     "Approve or deny an authorization request.",
		Description: "Granting `offline_access` or a permission of this service requires a sign-in within the last 15 minutes: see AUTH.REAUTHENTICATE.",
		Access:      access.User().InPerson().Presence(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Trigger:     flow.Login,
		Quiet:       true,
		Emits:       []event.Kind{oauth.KindCodeIssued, oauth.KindConsentGranted, oauth.KindConsentDenied, app.KindRegistered, app.KindUpdated, app.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p ConsentDecideParams) (AuthorizeResult, error) {
			outcome, err := s.Authorization.Decide(ctx, call, p.RequestID, p.Approve, p.Scopes)
			return result(outcome), err
		},
	})
}
