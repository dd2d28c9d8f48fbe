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
	Token secret.String `json:"token" doc:"What stands in a link." jsonschema:"minLength=1,maxLength=256"`
}

// TicketGetResult is the result of AUTH.TICKET_GET.
type TicketGetResult struct {
	Purpose   *ticket.Purpose `json:"purpose" doc:"What the link is for; null unless it is valid." jsonschema:"enum=password_reset,enum=email_verify,enum=email_change,enum=login,enum=mfa_enroll"`
	Valid     bool            `json:"valid" doc:"Whether it works: false when it was used, has expired, or never was one."`
	ExpiresAt *time.Time      `json:"expires_at" doc:"Until when; null unless it is valid."`
	EmailHint string          `json:"email_hint" doc:"The address that it concerns, for its owner to recognize; empty unless it is valid."`
}

func (s *Service) ticketGet() command.Definition {
	return command.Define(command.Spec[TicketGetParams, TicketGetResult]{
		Name:    "AUTH.TICKET_GET",
		Summary: "Tell what the token of a link is for without using it, so that a page can say so.",
		Access:  access.Public(),
		Effect:  command.Reads,
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
