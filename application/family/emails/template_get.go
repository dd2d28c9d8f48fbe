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
	Template mail.Template `json:"template" doc:"Name of the email template."`
	Locale   user.Locale   `json:"locale,omitzero" doc:"Language tag of the reader. Returns the closest text available."`
}

// TemplateGetResult is the result of EMAIL.TEMPLATE_GET.
type TemplateGetResult struct {
	Subject string `json:"subject" doc:"Subject of the email."`
	HTML    string `json:"html" doc:"HTML body of the email."`
	Text    string `json:"text" doc:"Plain text body of the email."`
	Source  Origin `json:"source" doc:"Source of the text: built in, set for the instance, or set for the workspace."`
}

func (s *Service) templateGet() command.Definition {
	return command.Define(command.Spec[TemplateGetParams, TemplateGetResult]{
		Name:    "EMAIL.TEMPLATE_GET",
		Summary: "Get an email template.",
		Description: "Returns the template in force, which is the first of these:\n\n1. the text of the active workspace for the language\n2. the text " +
			"of the active workspace for any language\n3. the text of the instance for the language\n4. the text of the instance for any " +
			"language\n5. the built-in template\n\nSuperadmins get the templates of the instance.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p TemplateGetParams) (TemplateGetResult, error) {
			found, err := s.find(ctx, scope(call.Caller), p.Template, string(p.Locale))
			return TemplateGetResult{Subject: found.Subject, HTML: found.HTML, Text: found.Text, Source: found.Source}, err
		},
	})
}
