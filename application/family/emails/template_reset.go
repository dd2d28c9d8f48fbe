package emails

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// TemplateResetParams are the parameters of EMAIL.TEMPLATE_RESET.
type TemplateResetParams struct {
	Template mail.Template `json:"template" doc:"Name of the email template."`
	Locale   user.Locale   `json:"locale,omitzero" doc:"Language tag of the text to remove. Omit to remove the text for any language. Other texts stay."`
}

func (s *Service) templateReset() command.Definition {
	return command.Define(command.Spec[TemplateResetParams, TemplateResult]{
		Name:    "EMAIL.TEMPLATE_RESET",
		Summary: "Reset an email template.",
		Description: "Removes the text set for a template of the active workspace or, if you are a superadmin, of the instance. Has no effect if no " +
			"text is set.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{mail.KindReset},
		Handle: func(ctx context.Context, call command.Call, p TemplateResetParams) (TemplateResult, error) {
			org, locale := scope(call.Caller), mail.FoldLocale(string(p.Locale))
			var result TemplateResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if err := drop(ctx, tx, mail.WasReset{OrgID: org, Template: p.Template, Locale: locale}); err != nil {
					return err
				}
				var err error
				result.Template, err = reread(ctx, tx, org, p.Template, locale)
				return err
			})
			return result, err
		},
	})
}

// drop removes an override, if there is one, and returns what it was.
func drop(ctx context.Context, tx Repos, which mail.WasReset) error {
	before, err := tx.Templates.Of(ctx, which.Template, which.OrgID)
	if err != nil {
		return err
	}
	dropped, err := tx.Templates.Reset(ctx, which.OrgID, which.Template, which.Locale)
	if err != nil || !dropped {
		return err
	}
	var was any
	for _, one := range before {
		if one.Org == which.OrgID && one.Locale == which.Locale {
			was = one.Source
		}
	}
	change, err := aggregate.Between(string(which.Template), was, nil)
	if err != nil {
		return err
	}
	return tx.Events.RecordChange(ctx, which, change)
}
