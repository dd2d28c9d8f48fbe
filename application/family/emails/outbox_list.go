package emails

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
)

// OutboxListParams are the parameters of EMAIL.OUTBOX_LIST.
type OutboxListParams struct {
	Status   mail.Status   `json:"status,omitzero" doc:"Returns only emails with this status. Omit to return all."`
	To       email.Address `json:"to,omitzero" doc:"Returns only emails to this address."`
	Template mail.Template `json:"template,omitzero" doc:"Returns only emails with this template."`
	page.Params
}

// OutboxItem is a mail in the list.
type OutboxItem struct {
	ID        mail.ID       `json:"id" doc:"ID of the email. Its Message-ID header begins with this ID."`
	To        string        `json:"to" doc:"Recipient address. For a queued email, the address it would go to now."`
	Template  mail.Template `json:"template" doc:"Name of the email template."`
	Status    mail.Status   `json:"status" doc:"Status of the email. queued: waiting, being sent, or waiting for another attempt. failed: no further attempts are made. suppressed: not sent because the address is on the suppression list or received 20 emails within an hour."`
	Attempts  int           `json:"attempts" doc:"Number of attempts. At most 5."`
	LastError string        `json:"last_error" doc:"Why the last attempt failed, without addresses. Empty if it succeeded."`
	At        time.Time     `json:"at" doc:"When the email was queued."`
}

func (s *Service) outboxList() command.Definition {
	return command.Define(command.Spec[OutboxListParams, page.Of[OutboxItem]]{
		Name:        "EMAIL.OUTBOX_LIST",
		Summary:     "List queued and sent emails.",
		Description: "Returns the emails of the last 30 days, newest first, without their bodies.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p OutboxListParams) (page.Of[OutboxItem], error) {
			list := s.Cursors.List("EMAIL.OUTBOX_LIST|"+string(p.Status)+"|"+p.To.Folded()+"|"+string(p.Template), p.Params)
			position := func(e mail.Entry) string { return e.ID.String() }
			show := func(e mail.Entry) OutboxItem {
				return OutboxItem{
					ID: e.ID, To: e.To.String(), Template: e.Template, Status: e.Status,
					Attempts: e.Attempts, LastError: e.LastError, At: e.CreatedAt,
				}
			}
			return page.Read(list, position, show, func(before string, most int) ([]mail.Entry, error) {
				return s.Queue.List(ctx, mailing.Query{
					Status: p.Status, To: p.To, Template: p.Template, Before: mail.ID(before), Limit: most,
				})
			})
		},
	})
}
