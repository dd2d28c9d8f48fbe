// Package mail defines mails. A request for a mail is stored with the change that
// causes it; links and codes are generated when the mail is written, so that the queue
// contains no secrets (contract section 4).
package mail

import (
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

type idKind struct{}

func (idKind) Prefix() string { return "eml" }

// ID identifies a mail.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Template is the name of a template.
type Template string

// The templates.
const (
	// VerifyEmail verifies the address of an account.
	VerifyEmail Template = "verify_email"
	// ConfirmChange verifies the new address of an account, and ChangeRequested warns
	// the previous one.
	ConfirmChange   Template = "confirm_email_change"
	ChangeRequested Template = "email_change_requested"
	// PasswordReset holds a link to set a new password.
	PasswordReset Template = "password_reset"
	// Invite holds a link to set the first password of an account.
	Invite Template = "invite"
	// Invitation holds a link to join a workspace.
	Invitation Template = "invitation"
	// DomainMissing warns owners that the DNS record of a verified domain is missing.
	DomainMissing Template = "domain_missing"
	// LoginCode and LoginLink are for a login without a password.
	LoginCode Template = "login_code"
	LoginLink Template = "login_link"
	// FactorCode holds the code of a second factor.
	FactorCode Template = "mfa_code"
	// Notice reports a change to the account's security.
	Notice Template = "security_notice"
	// Test is sent by EMAIL.TEST.
	Test Template = "test"
)

// Templates lists all templates.
func Templates() []Template {
	return []Template{
		VerifyEmail, ConfirmChange, ChangeRequested, PasswordReset, Invite, Invitation, DomainMissing, LoginCode, LoginLink, FactorCode, Notice, Test,
	}
}

// Warns reports whether the mail warns the owner of an account takeover. It uses the
// instance's template, because whoever took over the account could change those of its
// workspace.
func (t Template) Warns() bool { return t == Notice || t == ChangeRequested }

// SchemaFragment describes the template in a JSON Schema.
func (Template) SchemaFragment() map[string]any {
	names := make([]any, 0, len(Templates()))
	for _, t := range Templates() {
		names = append(names, string(t))
	}
	return map[string]any{"type": "string", "enum": names}
}

// TimeFormat is the layout of times in mails.
const TimeFormat = "January 2, 2006, 15:04 MST"

// Request is a request for a mail. It is checked when it is due: no mail is sent to
// addresses without an account, disabled accounts, or suppressed addresses.
type Request struct {
	Template Template
	// UserID is the recipient; the mail goes to the account's current address, or to
	// To.
	UserID user.ID `json:",omitzero"`
	// To without UserID selects the account with that address.
	To email.Address `json:",omitzero"`
	// Org is the workspace of the templates and the branding; empty for the recipient's
	// personal one or, for warnings, the instance. Unverified addresses get those of
	// the instance.
	Org workspace.ID `json:",omitzero"`
	// Link makes a link of this kind.
	Link Link `json:",omitzero"`
	// Challenge is the digest of the challenge that gets the code, and CodeMinutes how
	// long that works.
	Challenge   string `json:",omitzero"`
	CodeMinutes int    `json:",omitzero"`
	// Facts are further values of the template; they contain no secrets.
	Facts map[string]string `json:",omitzero"`
	// Vital mail is sent however much the address had within the hour.
	Vital bool `json:",omitzero"`
	// Gathered are the lines of a mail in place of several.
	Gathered []string `json:",omitzero"`
	// Guest mail goes to To, whether or not that has an account.
	Guest bool `json:",omitzero"`
	// Parting reports whether the mail goes to To although the account no longer
	// exists.
	Parting bool `json:",omitzero"`
	// Proved reports whether To was the verified address of the account when the mail was
	// requested.
	Proved bool `json:",omitzero"`
	// Once is an idempotency key of the mail, if set.
	Once string `json:"-"`
}

// Link is a link that works once.
type Link struct {
	Kind challenge.Kind
	// Minutes is how long it works.
	Minutes int
	// Page is the path under SERVICE_HOST that it leads to; RedirectURI is where
	// instead, if the maker checked it.
	Page        string
	RedirectURI string `json:",omitzero"`
	// Content is the content of the challenge, as JSON.
	Content []byte `json:",omitzero"`
}
