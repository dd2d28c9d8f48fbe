package emails

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// TemplateGetParams are the parameters of EMAIL.TEMPLATE_GET.
type TemplateGetParams struct {
	Template mail.Template `json:"template" doc:"Which template."`
	Locale   user.Locale   `json:"locale,omitzero" doc:"Language of the reader; the nearest text is answered."`
}

// TemplateGetResult is the result of EMAIL.TEMPLATE_GET.
type TemplateGetResult struct {
	Subject string `json:"subject" doc:"The subject."`
	HTML    string `json:"html" doc:"The mail as HTML."`
	Text    string `json:"text" doc:"The mail as plain text."`
	Source  Origin `json:"source" doc:"Where it comes from."`
}

func (s *Service) templateGet() command.Definition {
	return command.Define(command.Spec[TemplateGetParams, TemplateGetResult]{
		Name: "EMAIL.TEMPLATE_GET",
		Summary: "A mail template as it is in force: that of the active workspace for the language, of the workspace, of the instance for the language, " +
			"of the instance, or the built-in one, whichever comes first; superadmins see those of the instance.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p TemplateGetParams) (TemplateGetResult, error) {
			found, err := s.find(ctx, scope(call.Caller), p.Template, string(p.Locale))
			return TemplateGetResult{Subject: found.Subject, HTML: found.HTML, Text: found.Text, Source: found.Source}, err
		},
	})
}
