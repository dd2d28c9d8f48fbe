package emails

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// maxLocales is in how many languages a template may be set.
const maxLocales = 50

// judgedPerMinute is how many templates somebody may have judged: that takes a tenth
// of a second, and everybody owns a workspace.
const judgedPerMinute = 30

var errLocales = fault.Invalid("/locale", "language limit of the template reached (50): reset another language first")

// TemplateSetParams are the parameters of EMAIL.TEMPLATE_SET.
type TemplateSetParams struct {
	Template mail.Template `json:"template" doc:"Name of the email template."`
	Locale   user.Locale   `json:"locale,omitzero" doc:"Language tag of the text. Omit to set the text for all languages without their own text."`
	Subject  string        `json:"subject" doc:"Subject of the email. It can use template variables." jsonschema:"minLength=1,maxLength=500,example=Reset your password"`
	HTML     string        `json:"html" doc:"HTML body of the email, a template of Go's html/template with {{.variable}}, {{if}}, {{else}}, not, and, or. Scripts, forms and frames are rejected." jsonschema:"minLength=1,maxLength=65536,example=<p>Hello {{.name}}!</p><p><a href='{{.link}}'>Go on</a> within {{.valid_for}}.</p>"`
	Text     string        `json:"text,omitzero" doc:"Plain text body of the email, with the same template syntax. Defaults to the built-in text." jsonschema:"maxLength=65536,example=Hello {{.name}}! Go on at {{.link}} within {{.valid_for}}."`
}

// TemplateResult is a template after a change.
type TemplateResult struct {
	Template Template `json:"template" doc:"Template now in force."`
}

func (s *Service) templateSet() command.Definition {
	return command.Define(command.Spec[TemplateSetParams, TemplateResult]{
		Name:    "EMAIL.TEMPLATE_SET",
		Summary: "Set the text of an email template.",
		Description: "Sets a template of the active workspace or, if you are a superadmin, of the instance. A template can have texts in at most 50 " +
			"languages.\n\nThe template is rejected if it:\n\n- cannot be rendered with sample data\n- uses unknown variables\n- can be rendered " +
			"without its link or code\n- contains the link or code anywhere but as the whole `href` of a link or as a separate word",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Limits: []limit.Spec{limit.PerMinute(limit.User, judgedPerMinute)},
		Emits:  []event.Kind{mail.KindSet},
		Handle: func(ctx context.Context, call command.Call, p TemplateSetParams) (TemplateResult, error) {
			source := mail.Source{Subject: p.Subject, HTML: p.HTML, Text: p.Text}
			if source.Text == "" {
				source.Text = letters.Builtin(p.Template).Text
			}
			if err := letters.Check(p.Template, source); err != nil {
				return TemplateResult{}, err
			}
			set := mail.Override{
				Org: scope(call.Caller), Template: p.Template, Locale: mail.FoldLocale(string(p.Locale)),
				Source: source, UpdatedAt: s.Clock.Now(),
			}
			var result TemplateResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if err := s.store(ctx, tx, set); err != nil {
					return err
				}
				var err error
				result.Template, err = reread(ctx, tx, set.Org, p.Template, set.Locale)
				return err
			})
			return result, err
		},
	})
}

// store keeps an override, unless it is kept as it is already. It fails with
// errLocales.
func (s *Service) store(ctx context.Context, tx Repos, set mail.Override) error {
	before, err := tx.Templates.Of(ctx, set.Template, set.Org)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(before, func(o mail.Override) bool { return o.Org != set.Org })
	same := slices.IndexFunc(own, func(o mail.Override) bool { return o.Locale == set.Locale })
	switch {
	case same >= 0 && own[same].Source == set.Source:
		return nil
	case same < 0 && len(own) >= maxLocales:
		return errLocales
	}
	if err := tx.Templates.Set(ctx, set); err != nil {
		return err
	}
	var was any
	if same >= 0 {
		was = own[same].Source
	}
	change, err := aggregate.Between(string(set.Template), was, set.Source)
	if err != nil {
		return err
	}
	return tx.Events.RecordChange(ctx, mail.WasSet{OrgID: set.Org, Template: set.Template, Locale: set.Locale}, change)
}

// reread returns the template that is in force within a unit of work.
func reread(ctx context.Context, tx Repos, org workspace.ID, t mail.Template, tag string) (Template, error) {
	set, err := tx.Templates.Of(ctx, t, org)
	if err != nil {
		return Template{}, err
	}
	return inForce(set, org, t, tag), nil
}
