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

// SuppressionListParams are the parameters of EMAIL.SUPPRESSION_LIST.
type SuppressionListParams struct {
	Query string `json:"query,omitzero" doc:"Full email address to look up, case-insensitive. Parts of an address match nothing." jsonschema:"maxLength=254"`
	page.Params
}

// SuppressionItem is an address that gets no mail.
type SuppressionItem struct {
	Email  string      `json:"email" doc:"Suppressed email address."`
	Reason mail.Reason `json:"reason" doc:"Why the address is suppressed."`
	At     time.Time   `json:"at" doc:"When the address was suppressed."`
}

func (s *Service) suppressionList() command.Definition {
	return command.Define(command.Spec[SuppressionListParams, page.Of[SuppressionItem]]{
		Name:        "EMAIL.SUPPRESSION_LIST",
		Summary:     "List the addresses on the suppression list.",
		Description: "Returns the addresses that receive no email, newest first.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p SuppressionListParams) (page.Of[SuppressionItem], error) {
			asked, err := email.Parse(p.Query)
			unheard := p.Query != "" && err != nil
			list := s.Cursors.List("EMAIL.SUPPRESSION_LIST|"+asked.Folded(), p.Params)
			position := func(one mail.Suppression) string { return one.ID }
			show := func(one mail.Suppression) SuppressionItem {
				return SuppressionItem{Email: one.Email.String(), Reason: one.Reason, At: one.CreatedAt}
			}
			return page.Read(list, position, show, func(before string, most int) ([]mail.Suppression, error) {
				if unheard {
					return nil, nil
				}
				return s.Suppressions.List(ctx, mailing.SuppressionQuery{Email: asked, Before: before, Limit: most})
			})
		},
	})
}
