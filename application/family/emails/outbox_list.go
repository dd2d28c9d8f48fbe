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
	Status   mail.Status   `json:"status,omitzero" doc:"Only mail that is so; absent: all."`
	To       email.Address `json:"to,omitzero" doc:"Only mail to this address."`
	Template mail.Template `json:"template,omitzero" doc:"Only mail of this template."`
	page.Params
}

// OutboxItem is a mail in the list.
type OutboxItem struct {
	ID        mail.ID       `json:"id" doc:"Its identifier; its Message-ID begins with it."`
	To        string        `json:"to" doc:"Where it went or, while it is queued, will go as things stand."`
	Template  mail.Template `json:"template" doc:"What it is."`
	Status    mail.Status   `json:"status" doc:"Queued also while it is sent or waits to be tried again; failed: given up; suppressed: not sent, because the address gets no mail, or had 20 within an hour."`
	Attempts  int           `json:"attempts" doc:"How often it was tried, at most 5 times."`
	LastError string        `json:"last_error" doc:"Why it was not sent at the last attempt, without addresses; empty when it was."`
	At        time.Time     `json:"at" doc:"When it was queued."`
}

func (s *Service) outboxList() command.Definition {
	return command.Define(command.Spec[OutboxListParams, page.Of[OutboxItem]]{
		Name:    "EMAIL.OUTBOX_LIST",
		Summary: "List the mail of the last 30 days, queued and sent, newest first, without bodies.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
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
