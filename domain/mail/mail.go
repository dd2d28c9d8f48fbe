// Package mail says what is mailed to whom. A request for a mail is stored with
// the change that asks for it; links and codes are made when the mail is written,
// so that no secret waits in the queue (contract section 4).
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

// Template names what is written.
type Template string

// The templates.
const (
	// VerifyEmail asks to confirm the address of an account.
	VerifyEmail Template = "verify_email"
	// ConfirmChange asks the new address of an account to confirm the change, and
	// ChangeRequested tells the address until now.
	ConfirmChange   Template = "confirm_email_change"
	ChangeRequested Template = "email_change_requested"
	// PasswordReset holds a link to set a new password.
	PasswordReset Template = "password_reset"
	// Invite holds a link to set the first password of an account.
	Invite Template = "invite"
	// Invitation holds a link to join a workspace.
	Invitation Template = "invitation"
	// DomainMissing tells owners that the record of a verified domain is missing.
	DomainMissing Template = "domain_missing"
	// LoginCode and LoginLink let somebody in without a password.
	LoginCode Template = "login_code"
	LoginLink Template = "login_link"
	// FactorCode holds the code of a second factor.
	FactorCode Template = "mfa_code"
	// Notice tells of a change to the account's security.
	Notice Template = "security_notice"
	// Test is what EMAIL.TEST sends.
	Test Template = "test"
)

// Templates lists all templates.
func Templates() []Template {
	return []Template{
		VerifyEmail, ConfirmChange, ChangeRequested, PasswordReset, Invite, Invitation, DomainMissing, LoginCode, LoginLink, FactorCode, Notice, Test,
	}
}

// Warns reports whether it is mail by which an owner hears that the account is being taken over. It
// is written as the instance has it: who took the account over has its workspace too,
// and could let the workspace's mail say nothing.
func (t Template) Warns() bool { return t == Notice || t == ChangeRequested }

// SchemaFragment describes the template in a JSON Schema.
func (Template) SchemaFragment() map[string]any {
	names := make([]any, 0, len(Templates()))
	for _, t := range Templates() {
		names = append(names, string(t))
	}
	return map[string]any{"type": "string", "enum": names}
}

// Request asks for a mail. Whether it is written is decided when it is due: not to
// addresses without an account, to disabled accounts, or to suppressed addresses.
type Request struct {
	Template Template
	// UserID is whom it is for; it goes to the address that the account has when it
	// is written, or to To.
	UserID user.ID `json:",omitzero"`
	// To alone asks for the account of that address.
	To email.Address `json:",omitzero"`
	// Org is the workspace whose templates and look are taken; empty: the one that came
	// with the reader's account or, for what warns them, the instance. Addresses that are
	// not proved get the instance's.
	Org workspace.ID `json:",omitzero"`
	// Link makes a link of this kind.
	Link Link `json:",omitzero"`
	// Challenge is the digest of the challenge that gets the code, and CodeMinutes how
	// long that works.
	Challenge   string `json:",omitzero"`
	CodeMinutes int    `json:",omitzero"`
	// Facts are what the text tells besides, none of them secret.
	Facts map[string]string `json:",omitzero"`
	// Vital mail is sent however much the address had within the hour.
	Vital bool `json:",omitzero"`
	// Gathered are the lines of a mail in place of several.
	Gathered []string `json:",omitzero"`
	// Guest mail goes to To, whether or not that has an account.
	Guest bool `json:",omitzero"`
	// Parting mail is for To alone, whose account is gone.
	Parting bool `json:",omitzero"`
	// Once, when set, is what must not be mailed about twice.
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
	// Content is what its challenge holds, in JSON.
	Content []byte `json:",omitzero"`
}
