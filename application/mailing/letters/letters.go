// Package letters renders mails: the variables of each template, the built-in texts,
// and the validation and rendering of customized templates.
//
// # Decision: a subset of Go templates
//
// Context: administrators of workspaces write templates for mails that contain
// credentials of others. A template must neither use much processor time nor send the
// link or the code elsewhere.
//
// Choice: of text/template only {{.variable}}, if, else, not, and, or are supported, so
// that rendering terminates and the output is bounded by the template. HTML is escaped
// by its context (html/template). A template is rejected unless the link or code is in
// the mail for all combinations of optional sample data, and only as the whole href of
// an anchor or as a separate word of the text, never within another address, an
// attribute or a style.
//
// What would change our mind: templates that need lists.
package letters

import (
	"embed"
	"fmt"
	"strings"

	"gatehouse.internal/domain/mail"
)

//go:embed builtin
var builtin embed.FS

// The variables that templates may use.
const (
	varName     = "name"
	varEmail    = "email"
	varService  = "service"
	varHost     = "host"
	varLink     = "link"
	varCode     = "code"
	varValid    = "valid_for"
	varNewEmail = "new_email"
	varHeadline = "headline"
	varDetail   = "detail"
	varPage     = "page"
	varWhen     = "when"
	varIP       = "ip"
	varDevice   = "device"

	varWorkspace = "workspace"
	varInviter   = "inviter"
	// varInviterEmail is set only if it is verified.
	varInviterEmail = "inviter_email"

	varDomain      = "domain"
	varRecordName  = "record_name"
	varRecordValue = "record_value"
	varUntil       = "until"

	// Those of the look. Texts in the colors for links are legible where the built-in
	// layout puts them.
	varLogo          = "logo"
	varSupport       = "support_email"
	varPrimary       = "primary"
	varOnPrimary     = "on_primary"
	varLinks         = "link_color"
	varPrimaryDark   = "primary_dark"
	varOnPrimaryDark = "on_primary_dark"
	varLinksDark     = "link_color_dark"
)

// Values are the variables of one mail.
type Values map[string]string

// kind describes a template.
type kind struct {
	subject string
	// vital is the variable that the mail exists for, "" for none.
	vital string
	// facts are variables in addition to the common ones; some mails lack them.
	facts []string
}

func kindOf(t mail.Template) kind {
	origin := []string{varWhen, varIP, varDevice}
	switch t {
	case mail.VerifyEmail:
		return kind{"Confirm your email address", varLink, nil}
	case mail.ConfirmChange:
		return kind{"Confirm your new email address", varLink, nil}
	case mail.ChangeRequested:
		return kind{"Your email address is about to change", "", append(origin, varNewEmail)}
	case mail.PasswordReset:
		return kind{"Reset your password", varLink, origin}
	case mail.Invite:
		return kind{"Your account on {{.service}} is ready", varLink, nil}
	case mail.Invitation:
		return kind{"You are invited to join {{if .workspace}}{{.workspace}}{{else}}a workspace{{end}} on {{.service}}", varLink, []string{varWorkspace, varInviter, varInviterEmail}}
	case mail.DomainMissing:
		return kind{
			"The DNS record of {{if .domain}}{{.domain}}{{else}}your domain{{end}} was not found", "",
			[]string{varWorkspace, varDomain, varRecordName, varRecordValue, varUntil},
		}
	case mail.LoginCode:
		return kind{"{{.code}} is your sign-in code", varCode, origin}
	case mail.LoginLink:
		return kind{"Sign in to {{.service}}", varLink, origin}
	case mail.FactorCode:
		return kind{"{{.code}} is your security code", varCode, origin}
	case mail.Notice:
		return kind{"{{if .headline}}{{.headline}}{{else}}Something changed in your account{{end}}", "", append(origin, varHeadline, varDetail, varPage)}
	case mail.Test:
		return kind{"Test email from {{.service}}", "", nil}
	}
	return kind{}
}

// Variables returns the variables of a template.
func Variables(t mail.Template) []string {
	k := kindOf(t)
	known := []string{
		varName, varEmail, varService, varHost, varLogo, varSupport,
		varPrimary, varOnPrimary, varLinks, varPrimaryDark, varOnPrimaryDark, varLinksDark,
	}
	if k.vital != "" {
		known = append(known, k.vital, varValid)
	}
	return append(known, k.facts...)
}

// contentMark is where the layouts take the text of a template.
const contentMark = "<!-- content -->"

// Builtin returns the built-in template.
func Builtin(t mail.Template) mail.Source {
	read := func(name string) string {
		text, err := builtin.ReadFile("builtin/" + name)
		if err != nil {
			return fmt.Sprintf("{{/* %s is missing */}}", name) // a test reads them all
		}
		return string(text)
	}
	layout := func(name, content string) string {
		return strings.Replace(read(name), contentMark, strings.TrimSpace(content), 1)
	}
	return mail.Source{
		Subject: kindOf(t).subject,
		HTML:    layout("layout.html", read(string(t)+".html")),
		Text:    layout("layout.txt", read(string(t)+".txt")),
	}
}
