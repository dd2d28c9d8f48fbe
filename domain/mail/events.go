package mail

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of mail.
const (
	KindFailed       event.Kind = "email.failed"
	KindRequeued     event.Kind = "email.requeued"
	KindSuppressed   event.Kind = "email.suppressed"
	KindUnsuppressed event.Kind = "email.unsuppressed"
	KindSet          event.Kind = "email_template.set"
	KindReset        event.Kind = "email_template.reset"
)

// GivenUp is the content of email.failed.
type GivenUp struct {
	MessageID ID       `json:"message_id" doc:"ID of the email. EMAIL.OUTBOX_LIST shows why it failed."`
	UserID    user.ID  `json:"user_id,omitzero" doc:"ID of the user the email was for. Not set if unknown."`
	Template  Template `json:"template" doc:"Name of the email template."`
	Attempts  int      `json:"attempts" doc:"Number of attempts."`
}

// Requeued is the content of email.requeued.
type Requeued struct {
	MessageID ID  `json:"message_id,omitzero" doc:"ID of the email, if a single one was retried."`
	Mails     int `json:"mails" doc:"Number of failed emails queued again."`
}

// WasSuppressed is the content of email.suppressed, without the address.
type WasSuppressed struct {
	SuppressionID string `json:"suppression_id" doc:"ID of the suppression list entry, a UUID."`
	Reason        Reason `json:"reason" doc:"Why the address is suppressed."`
}

// WasUnsuppressed is the content of email.unsuppressed.
type WasUnsuppressed struct {
	SuppressionID string `json:"suppression_id" doc:"ID of the suppression list entry, a UUID."`
}

// WasSet is the content of email_template.set.
type WasSet struct {
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Not set for templates of the instance."`
	Template Template     `json:"template" doc:"Name of the email template."`
	Locale   string       `json:"locale,omitzero" doc:"Language tag of the text. Not set if the text is for any language."`
}

// WasReset is the content of email_template.reset.
type WasReset struct {
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Not set for templates of the instance."`
	Template Template     `json:"template" doc:"Name of the email template."`
	Locale   string       `json:"locale,omitzero" doc:"Language tag of the text. Not set if the text was for any language."`
}

func (GivenUp) Kind() event.Kind         { return KindFailed }
func (Requeued) Kind() event.Kind        { return KindRequeued }
func (WasSuppressed) Kind() event.Kind   { return KindSuppressed }
func (WasUnsuppressed) Kind() event.Kind { return KindUnsuppressed }
func (WasSet) Kind() event.Kind          { return KindSet }
func (WasReset) Kind() event.Kind        { return KindReset }

func (e GivenUp) Concerns() event.Concern {
	return event.Concern{UserID: e.UserID.String(), Failed: true}
}

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		one    = ID("eml_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		entry  = "01936a1d-4c2f-7b3e-8f4a-9d5c2e1b7a60"
	)
	return []event.Definition{
		{Summary: "An email failed and is not retried.", Example: GivenUp{one, person, PasswordReset, MaxAttempts}},
		{Summary: "Failed emails were queued again.", Example: Requeued{one, 1}},
		{Summary: "An address was added to the suppression list.", Example: WasSuppressed{entry, Bounce}},
		{Summary: "An address was removed from the suppression list.", Example: WasUnsuppressed{entry}},
		{Summary: "The text of an email template was set.", Example: WasSet{org, PasswordReset, "de"}},
		{Summary: "The text set for an email template was removed.", Example: WasReset{org, PasswordReset, "de"}},
	}
}
