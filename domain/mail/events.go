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
	MessageID ID       `json:"message_id" doc:"The mail that was given up; EMAIL.OUTBOX_LIST tells why."`
	UserID    user.ID  `json:"user_id,omitzero" doc:"Whom it was for; absent when that never came to light."`
	Template  Template `json:"template" doc:"What it was."`
	Attempts  int      `json:"attempts" doc:"How often it was tried."`
}

// Requeued is the content of email.requeued.
type Requeued struct {
	MessageID ID  `json:"message_id,omitzero" doc:"The mail, if it was one alone."`
	Mails     int `json:"mails" doc:"How many mails that had failed were queued again."`
}

// WasSuppressed is the content of email.suppressed, without the address.
type WasSuppressed struct {
	SuppressionID string `json:"suppression_id" doc:"What tells the address from others, a UUID."`
	Reason        Reason `json:"reason" doc:"Why it gets no mail."`
}

// WasUnsuppressed is the content of email.unsuppressed.
type WasUnsuppressed struct {
	SuppressionID string `json:"suppression_id" doc:"What told the address from others, a UUID."`
}

// WasSet is the content of email_template.set.
type WasSet struct {
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"The workspace; absent: the instance."`
	Template Template     `json:"template" doc:"Which template."`
	Locale   string       `json:"locale,omitzero" doc:"The language that it is for; absent: any."`
}

// WasReset is the content of email_template.reset.
type WasReset struct {
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"The workspace; absent: the instance."`
	Template Template     `json:"template" doc:"Which template."`
	Locale   string       `json:"locale,omitzero" doc:"The language that it was for; absent: any."`
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
		{Summary: "A mail was given up.", Example: GivenUp{one, person, PasswordReset, MaxAttempts}},
		{Summary: "Mail that had failed was queued again.", Example: Requeued{one, 1}},
		{Summary: "An address gets no mail any more.", Example: WasSuppressed{entry, Bounce}},
		{Summary: "An address gets mail again.", Example: WasUnsuppressed{entry}},
		{Summary: "A mail template was set.", Example: WasSet{org, PasswordReset, "de"}},
		{Summary: "A mail template went back to what it was without being set.", Example: WasReset{org, PasswordReset, "de"}},
	}
}
