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
	links "gatehouse.internal/domain/ticket"
	"gatehouse.internal/domain/user"
)

// ticketMinutes is how long a link works when nothing is said.
const ticketMinutes = 60

// TicketCreateParams are the parameters of USER.TICKET_CREATE.
type TicketCreateParams struct {
	UserID      user.ID       `json:"user_id" doc:"Whose account the link is for. It ends when the account gets another address."`
	Purpose     links.Purpose `json:"purpose" doc:"What it is for: password_reset is for AUTH.RESET_PASSWORD, email_verify for AUTH.VERIFY_EMAIL, login and mfa_enroll (for somebody who has no second factor) for AUTH.PASSWORDLESS_VERIFY." jsonschema:"enum=password_reset,enum=email_verify,enum=login,enum=mfa_enroll"`
	TTLMinutes  int           `json:"ttl_minutes,omitzero" doc:"Minutes for which it works; absent: 60." jsonschema:"minimum=1,maximum=10080"`
	RedirectURI redirect.URI  `json:"redirect_uri,omitzero" doc:"Where it leads, with the token in its query; absent: to a page of the service. It must be registered, character by character." example:"-"`
}

// TicketCreateResult is the result of USER.TICKET_CREATE.
type TicketCreateResult struct {
	URL       secret.Shown `json:"url" doc:"The link, which works once. It is shown this once."`
	Token     secret.Shown `json:"token" doc:"The token that stands in it."`
	ExpiresAt time.Time    `json:"expires_at" doc:"Until when it works."`
}

func (s *Service) ticketCreate() command.Definition {
	return command.Define(command.Spec[TicketCreateParams, TicketCreateResult]{
		Name:    "USER.TICKET_CREATE",
		Summary: "Make a link that works once, to hand over by a channel of one's own; nothing is mailed. Those for superadmins only superadmins make.",
		Access:  access.Holding(manage).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{links.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p TicketCreateParams) (TicketCreateResult, error) {
			if p.TTLMinutes == 0 {
				p.TTLMinutes = ticketMinutes
			}
			made, err := s.Tickets.Create(ctx, call.Caller, ticket.Wanted{
				UserID: p.UserID, Purpose: p.Purpose, Life: time.Duration(p.TTLMinutes) * time.Minute, Back: p.RedirectURI,
			})
			return TicketCreateResult{URL: made.URL, Token: made.Token, ExpiresAt: made.ExpiresAt}, err
		},
	})
}
