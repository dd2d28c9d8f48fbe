package account

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/signin"
)

// Mailbox is the content of the challenge of a link: the mailbox it was created for. It
// is invalid if the account has another address by now.
type Mailbox struct {
	Email email.Address `json:"email"`
	// Was is the account's address until then, where the link changes it.
	Was email.Address `json:"was,omitzero"`
	// Asked is when a change of the address was requested; a password set since then
	// was not set by the requester. The link itself may be created later, if mail is
	// delayed.
	Asked time.Time `json:"asked,omitzero"`
	// Handed reports whether an administrator hands over the link, which then proves no
	// mailbox.
	Handed bool `json:"handed,omitzero"`
	// BySuperadmin reports whether the administrator is a superadmin. Links of others
	// are invalid for accounts that became superadmins since.
	BySuperadmin bool `json:"by_superadmin,omitzero"`
	// Invitation is the digest of the token of the invitation that the link was
	// requested with.
	Invitation string `json:"invitation,omitzero"`
	// Guest reports whether the address had no account when they did: one is made.
	Guest bool `json:"guest,omitzero"`
}

// Encode writes the content of a challenge.
func (m Mailbox) Encode() ([]byte, error) {
	content, err := strictjson.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode a mailbox: %w", err)
	}
	return content, nil
}

// MailboxOf reads the content of a challenge.
func MailboxOf(c challenge.Challenge) (Mailbox, error) {
	var m Mailbox
	if err := strictjson.Decode(c.Content, &m); err != nil {
		return Mailbox{}, fmt.Errorf("decode a mailbox: %w", err)
	}
	return m, nil
}

// Of reports whether the mailbox is that of the account, and the link valid for it.
func (m Mailbox) Of(u user.Snapshot) bool {
	if m.Handed && !m.BySuperadmin && u.Superadmin {
		return false
	}
	until := m.Email
	if !m.Was.IsZero() {
		until = m.Was
	}
	return until.Folded() == u.Email.Folded()
}

// letter is how a link is mailed.
type letter struct {
	template mail.Template
	page     string
	life     time.Duration
}

// LoginLinkLife is the lifetime of a login link.
const LoginLinkLife = 15 * time.Minute

func letterOf(kind challenge.Kind) letter {
	const day = 24 * time.Hour
	switch kind {
	case challenge.PasswordReset:
		return letter{mail.PasswordReset, "/recover", 30 * time.Minute}
	case challenge.EmailVerification:
		return letter{mail.VerifyEmail, "/verify", day}
	case challenge.EmailChange:
		return letter{mail.ConfirmChange, "/verify", day}
	case challenge.LoginLink:
		return letter{mail.LoginLink, "/login", LoginLinkLife}
	default:
		return letter{page: "/login"}
	}
}

// PageOf returns the path of the page that a link of a kind leads to.
func PageOf(kind challenge.Kind) string { return letterOf(kind).page }

// LinkTo returns the request for a mail with a link of a kind. Without an account it
// goes to the account with the address, and takes the same time if there is none.
func LinkTo(kind challenge.Kind, to Mailbox) (mail.Request, error) {
	content, err := to.Encode()
	how := letterOf(kind)
	return mail.Request{
		Template: how.template, To: to.Email,
		Link: mail.Link{Kind: kind, Minutes: int(how.life / time.Minute), Page: how.page, Content: content},
	}, err
}

// DropMailedResets deletes the links to reset a password that were mailed to an account.
// Those that an administrator hands over stay: they may be the only ones that reach the
// person, and anybody can have a link mailed.
func DropMailedResets(ctx context.Context, waiting signin.Challenges, of user.ID) error {
	_, err := waiting.Drop(ctx, signin.ChallengeQuery{
		About: of, Kinds: []challenge.Kind{challenge.PasswordReset},
		Spare: func(c challenge.Challenge) bool {
			box, err := MailboxOf(c)
			return err == nil && box.Handed
		},
	})
	return err
}

// QueueVerification queues the mail to verify the address of a new account, in the unit
// of work that creates the account.
func QueueVerification(ctx context.Context, mails mailing.Mails, of user.ID, to email.Address) error {
	request, err := LinkTo(challenge.EmailVerification, Mailbox{Email: to})
	if err != nil {
		return err
	}
	request.UserID = of
	return mails.Queue(ctx, request)
}

// inviteLife is how long the link of an invitation works.
const inviteLife = 7 * 24 * time.Hour

// QueueInvite queues the mail to set a password for an account created by an
// administrator.
func QueueInvite(ctx context.Context, mails mailing.Mails, of user.ID, to email.Address) error {
	request, err := LinkTo(challenge.PasswordReset, Mailbox{Email: to})
	if err != nil {
		return err
	}
	request.UserID, request.Link.Minutes = of, int(inviteLife/time.Minute)
	request.Template = mail.Invite
	return mails.Queue(ctx, request)
}

// TellMoved informs the previous mailbox of an account that its address was changed.
func TellMoved(ctx context.Context, mails mailing.Mails, until user.Snapshot) error {
	return mails.Queue(ctx, mail.Request{Template: mail.Notice, UserID: until.ID, To: until.Email, Proved: until.EmailVerified, Vital: true, Facts: map[string]string{
		"headline": "The email address of your account was changed",
		"detail":   "Emails about your account now go to its new address. If you did not want this, ask the operator for help immediately.",
	}})
}

// TellDeleted queues a notice of the deletion of an account, in the unit of work that
// deletes it, if its address was proved. It mentions the origin if the account's own session deleted it.
func TellDeleted(ctx context.Context, mails mailing.Mails, u user.Snapshot, now time.Time) error {
	if !u.EmailVerified {
		return nil // it may be the address of a stranger
	}
	deletion := notice.Snapshot{UserID: u.ID, CreatedAt: now}
	deletion.IP, deletion.UserAgent = notice.VisibleOrigin(event.OriginOf(ctx), u.ID)
	return mails.Queue(ctx, mail.Request{Template: mail.Notice, To: u.Email, Vital: true, Parting: true, Facts: deletion.Facts(notice.Definition{
		Headline: "Your account was deleted",
		Sentence: "Your account was permanently deleted, with everything in its personal workspace. If you did not want this, ask the operator for help immediately.",
	})})
}
