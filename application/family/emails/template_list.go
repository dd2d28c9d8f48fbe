package emails

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/mail"
)

// TemplateListResult is the result of EMAIL.TEMPLATE_LIST.
type TemplateListResult struct {
	Items []TemplateItem `json:"items" doc:"All email templates."`
}

// TemplateItem is a template in a list.
type TemplateItem struct {
	Template   mail.Template `json:"template" doc:"Name of the email template."`
	Locales    []string      `json:"locales" doc:"Language tags with their own text in the workspace or the instance, in lower case."`
	Overridden bool          `json:"overridden" doc:"Whether the workspace or the instance has a text that replaces the built-in one."`
	Variables  []string      `json:"variables" doc:"Variables the template can use, written as {{.variable}}."`
}

func (s *Service) templateList() command.Definition {
	return command.Define(command.Spec[command.None, TemplateListResult]{
		Name:        "EMAIL.TEMPLATE_LIST",
		Summary:     "List the email templates.",
		Description: "Returns each template with its variables, and whether the active workspace or the instance has its own texts.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (TemplateListResult, error) {
			set, err := s.Templates.All(ctx, scope(call.Caller))
			if err != nil {
				return TemplateListResult{}, err
			}
			var result TemplateListResult
			for _, t := range mail.Templates() {
				own := only(set, t)
				result.Items = append(result.Items, TemplateItem{
					Template: t, Locales: locales(own), Overridden: len(own) > 0, Variables: letters.Variables(t),
				})
			}
			return result, nil
		},
	})
}

// locales returns the languages of overrides, each once, in order.
func locales(of []mail.Override) []string {
	found := []string{}
	for _, one := range of {
		if one.Locale != "" {
			found = append(found, one.Locale)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
