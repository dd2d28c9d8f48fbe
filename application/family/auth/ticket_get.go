package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/ticket"
)

// TicketGetParams are the parameters of AUTH.TICKET_GET.
type TicketGetParams struct {
	Token secret.String `json:"token" doc:"Token from the link." jsonschema:"minLength=1,maxLength=256"`
}

// TicketGetResult is the result of AUTH.TICKET_GET.
type TicketGetResult struct {
	Purpose   *ticket.Purpose `json:"purpose" doc:"Purpose of the link. Null if the token is not valid." jsonschema:"enum=password_reset,enum=email_verify,enum=email_change,enum=login,enum=mfa_enroll"`
	Valid     bool            `json:"valid" doc:"Whether the token works. False if it was used, has expired or never existed."`
	ExpiresAt *time.Time      `json:"expires_at" doc:"When the token expires. Null if the token is not valid."`
	EmailHint string          `json:"email_hint" doc:"Hint at the email address concerned, for its owner to recognize. Empty if the token is not valid."`
}

func (s *Service) ticketGet() command.Definition {
	return command.Define(command.Spec[TicketGetParams, TicketGetResult]{
		Name:        "AUTH.TICKET_GET",
		Summary:     "Look up an emailed link token without consuming it.",
		Description: "Use it to show people what a link is for before they follow it.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p TicketGetParams) (TicketGetResult, error) {
			seen, err := s.Tickets.Look(ctx, p.Token)
			if err != nil || !seen.Valid {
				return TicketGetResult{}, err
			}
			return TicketGetResult{
				Purpose: &seen.Purpose, Valid: true, ExpiresAt: view.Time(seen.ExpiresAt), EmailHint: seen.EmailHint,
			}, nil
		},
	})
}
