package users

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/application/signin/ticket"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	domainticket "gatehouse.internal/domain/ticket"
	"gatehouse.internal/domain/user"
)

// ticketMinutes is how long a link works when nothing is said.
const ticketMinutes = 60

// TicketCreateParams are the parameters of USER.TICKET_CREATE.
type TicketCreateParams struct {
	UserID      user.ID              `json:"user_id" doc:"ID of the account that the link is for. The link stops working if the account's email address changes."`
	Purpose     domainticket.Purpose `json:"purpose" doc:"Purpose of the link: password_reset works with AUTH.RESET_PASSWORD, email_verify with AUTH.VERIFY_EMAIL, login and mfa_enroll with AUTH.PASSWORDLESS_VERIFY. mfa_enroll is for accounts without a second factor." jsonschema:"enum=password_reset,enum=email_verify,enum=login,enum=mfa_enroll"`
	TTLMinutes  int                  `json:"ttl_minutes,omitzero" doc:"Lifetime of the link. Minutes. Defaults to 60." jsonschema:"minimum=1,maximum=10080"`
	RedirectURI redirect.URI         `json:"redirect_uri,omitzero" doc:"Address that the link opens, with the token in its query. Defaults to a page of the service. It must match a registered address exactly." example:"-"`
}

// TicketCreateResult is the result of USER.TICKET_CREATE.
type TicketCreateResult struct {
	URL       secret.Shown `json:"url" doc:"The link, which works once. Returned only now."`
	Token     secret.Shown `json:"token" doc:"The token in the link. Returned only now."`
	ExpiresAt time.Time    `json:"expires_at" doc:"When the link expires."`
}

func (s *Service) ticketCreate() command.Definition {
	return command.Define(command.Spec[TicketCreateParams, TicketCreateResult]{
		Name:        "USER.TICKET_CREATE",
		Summary:     "Create a single-use link for an account, to deliver yourself.",
		Description: "Nothing is emailed. Only superadmins can create links for superadmins.",
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{domainticket.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p TicketCreateParams) (TicketCreateResult, error) {
			if p.TTLMinutes == 0 {
				p.TTLMinutes = ticketMinutes
			}
			made, err := s.Tickets.Create(ctx, call.Caller, ticket.LinkParams{
				UserID: p.UserID, Purpose: p.Purpose, Life: time.Duration(p.TTLMinutes) * time.Minute, Back: p.RedirectURI,
			})
			return TicketCreateResult{URL: made.URL, Token: made.Token, ExpiresAt: made.ExpiresAt}, err
		},
	})
}
