package emails

import (
	"cmp"
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// TemplatePreviewParams are the parameters of EMAIL.TEMPLATE_PREVIEW.
type TemplatePreviewParams struct {
	Template  mail.Template `json:"template" doc:"Name of the email template."`
	Locale    user.Locale   `json:"locale,omitzero" doc:"Language tag of the reader."`
	Subject   string        `json:"subject,omitzero" doc:"Subject to preview. Defaults to the subject in force." jsonschema:"maxLength=500,example=Reset your password"`
	HTML      string        `json:"html,omitzero" doc:"HTML body to preview. Defaults to the body in force." jsonschema:"maxLength=65536,example=<p>Hello {{.name}}!</p><p><a href='{{.link}}'>Go on</a> within {{.valid_for}}.</p>"`
	Text      string        `json:"text,omitzero" doc:"Plain text body to preview. Defaults to the body in force." jsonschema:"maxLength=65536,example=Hello {{.name}}! Go on at {{.link}} within {{.valid_for}}."`
	Variables Variables     `json:"variables,omitzero" doc:"Values that replace the sample data, by variable name. Use an empty value to preview the email without that variable."`
}

// TemplatePreviewResult is the result of EMAIL.TEMPLATE_PREVIEW.
type TemplatePreviewResult struct {
	Subject string `json:"subject" doc:"Rendered subject."`
	HTML    string `json:"html" doc:"Rendered HTML body."`
	Text    string `json:"text" doc:"Rendered plain text body."`
}

// Variables are values by name.
type Variables map[string]string

// SchemaFragment describes the values in a JSON Schema.
func (Variables) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object", "maxProperties": 20, "additionalProperties": map[string]any{"type": "string", "maxLength": 500},
		"examples": []any{map[string]any{"name": "Ada Lovelace"}},
	}
}

func (s *Service) templatePreview() command.Definition {
	return command.Define(command.Spec[TemplatePreviewParams, TemplatePreviewResult]{
		Name:    "EMAIL.TEMPLATE_PREVIEW",
		Summary: "Preview an email template with sample data.",
		Description: "Renders the template in force, or the parts you pass in its place. Your parts are checked like those of `EMAIL.TEMPLATE_SET`. " +
			"Nothing is sent or stored.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Limits: []limit.Spec{limit.PerMinute(limit.User, judgedPerMinute)},
		Handle: func(ctx context.Context, call command.Call, p TemplatePreviewParams) (TemplatePreviewResult, error) {
			org := scope(call.Caller)
			values, err := s.sample(ctx, org, p.Template)
			if err != nil {
				return TemplatePreviewResult{}, err
			}
			if err := p.fill(values); err != nil {
				return TemplatePreviewResult{}, err
			}
			found, err := s.find(ctx, org, p.Template, string(p.Locale))
			if err != nil {
				return TemplatePreviewResult{}, err
			}
			source := p.over(found.source())
			if err := letters.Check(p.Template, source); err != nil {
				return TemplatePreviewResult{}, err
			}
			written, err := letters.Render(p.Template, source, values)
			if err != nil {
				return TemplatePreviewResult{}, fault.Invalid("", "the template does not render with these values").Because(err)
			}
			return TemplatePreviewResult(written), nil
		},
	})
}

// fill puts the values of the caller over the sample ones.
func (p TemplatePreviewParams) fill(values letters.Values) error {
	known := letters.Variables(p.Template)
	for name, value := range p.Variables {
		if !slices.Contains(known, name) {
			return fault.Unfit(fault.Pointer("variables", name), "is not a variable of this template")
		}
		values[name] = value
	}
	return nil
}

// over puts the parts to try over those in force.
func (p TemplatePreviewParams) over(source mail.Source) mail.Source {
	return mail.Source{
		Subject: cmp.Or(p.Subject, source.Subject), HTML: cmp.Or(p.HTML, source.HTML), Text: cmp.Or(p.Text, source.Text),
	}
}
