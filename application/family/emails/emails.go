// Package emails implements the family EMAIL: mail templates, the mail queue, and
// suppressed addresses.
package emails

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions over the templates of the workspace.
const (
	reading = "emails:read"
	writing = "emails:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Templates    mailing.Templates
	Outbox       mailing.Outbox
	Suppressions mailing.Suppressions
	Events       outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit              outbound.Unit[Repos]
	Transactions      outbound.Transactions
	Templates         mailing.TemplateDirectory
	BrandingDirectory workspaces.BrandingDirectory
	Queue             mailing.Queue
	Suppressions      mailing.SuppressionDirectory
	Prober            mailing.Prober
	Clock             outbound.Clock
	IDs               outbound.IDs
	Cursors           page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.templateList(),
		s.templateGet(),
		s.templateSet(),
		s.templateReset(),
		s.templatePreview(),
		s.test(),
		s.outboxList(),
		s.outboxRetry(),
		s.suppressionList(),
		s.suppressionAdd(),
		s.suppressionRemove(),
	}
}

// Origin is where a template comes from.
type Origin string

// Where a template can come from.
const (
	fromBuiltin   Origin = "builtin"
	fromInstance  Origin = "instance"
	fromWorkspace Origin = "workspace"
)

// SchemaFragment describes the origin in a JSON Schema.
func (Origin) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(fromBuiltin), string(fromInstance), string(fromWorkspace)}}
}

// Template is a template as it is in force.
type Template struct {
	Template mail.Template `json:"template" doc:"Name of the email template."`
	Locale   string        `json:"locale" doc:"Language tag of the text, in lower case. Empty if the text is for any language."`
	Subject  string        `json:"subject" doc:"Subject of the email."`
	HTML     string        `json:"html" doc:"HTML body of the email."`
	Text     string        `json:"text" doc:"Plain text body of the email."`
	Source   Origin        `json:"source" doc:"Source of the text: built in, set for the instance, or set for the workspace."`
}

// scope returns whose templates a caller changes: those of the instance for a
// superadmin, else those of the active workspace.
func scope(caller access.Caller) workspace.ID {
	if caller.Superadmin {
		return ""
	}
	return caller.Org
}

// inForce picks the template that serves a workspace and a language tag.
func inForce(of []mail.Override, org workspace.ID, t mail.Template, tag string) Template {
	set, found := mail.Choose(of, org, tag)
	if !found {
		return show(t, "", letters.Builtin(t), fromBuiltin)
	}
	origin := fromInstance
	if set.Org != "" {
		origin = fromWorkspace
	}
	return show(t, set.Locale, set.Source, origin)
}

func show(t mail.Template, locale string, source mail.Source, origin Origin) Template {
	return Template{Template: t, Locale: locale, Subject: source.Subject, HTML: source.HTML, Text: source.Text, Source: origin}
}

func (t Template) source() mail.Source {
	return mail.Source{Subject: t.Subject, HTML: t.HTML, Text: t.Text}
}

// find reads the template that serves a workspace and a language tag.
func (s *Service) find(ctx context.Context, org workspace.ID, t mail.Template, tag string) (Template, error) {
	set, err := s.Templates.All(ctx, org)
	if err != nil {
		return Template{}, err
	}
	return inForce(only(set, t), org, t, tag), nil
}

// sample returns sample values in the look of a workspace.
func (s *Service) sample(ctx context.Context, org workspace.ID, t mail.Template) (letters.Values, error) {
	look, err := s.BrandingDirectory.InForce(ctx, org)
	values := letters.Sample(t)
	values.Dress(look)
	return values, err
}

// only returns the overrides of one template.
func only(of []mail.Override, t mail.Template) []mail.Override {
	var some []mail.Override
	for _, one := range of {
		if one.Template == t {
			some = append(some, one)
		}
	}
	return some
}
