package emails

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// TemplateResetParams are the parameters of EMAIL.TEMPLATE_RESET.
type TemplateResetParams struct {
	Template mail.Template `json:"template" doc:"Which template."`
	Locale   user.Locale   `json:"locale,omitzero" doc:"Language whose text is dropped; absent: that for every language. Others stay."`
}

func (s *Service) templateReset() command.Definition {
	return command.Define(command.Spec[TemplateResetParams, TemplateResult]{
		Name:    "EMAIL.TEMPLATE_RESET",
		Summary: "Drop the text that was set for a mail template of the active workspace or, as a superadmin, of the instance; where there is none, nothing happens.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{mail.KindReset},
		Handle: func(ctx context.Context, call command.Call, p TemplateResetParams) (TemplateResult, error) {
			org, locale := scope(call.Caller), mail.FoldLocale(string(p.Locale))
			var result TemplateResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				dropped, err := tx.Templates.Reset(ctx, org, p.Template, locale)
				if err == nil && dropped {
					err = tx.Events.Record(ctx, mail.WasReset{OrgID: org, Template: p.Template, Locale: locale})
				}
				if err != nil {
					return err
				}
				result.Template, err = reread(ctx, tx, org, p.Template, locale)
				return err
			})
			return result, err
		},
	})
}
