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
)

// Mailbox is the content of the challenge behind a link: whose mailbox the link
// was made for. It is worth nothing for an account that has another address by now.
type Mailbox struct {
	Email email.Address `json:"email"`
	// Was is the account's address until then, where the link changes it.
	Was email.Address `json:"was,omitzero"`
	// Asked is when the other address was asked for: whoever set the password since
	// did not. The link itself may be made later, when mail was delayed.
	Asked time.Time `json:"asked,omitzero"`
	// Handed reports whether an administrator hands the link over: whoever comes with it
	// has proved no mailbox.
	Handed bool `json:"handed,omitzero"`
	// BySuperadmin reports whether this was a superadmin. Other links that are handed over
	// are worth nothing for who became one since.
	BySuperadmin bool `json:"by_superadmin,omitzero"`
	// Invitation is the digest of the token of the invitation that somebody asked by.
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

// Of reports whether the mailbox is that of an account as it stands, and the link one
// that may be handed over for it.
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

// LoginLinkLife is how long a mailed link lets somebody in.
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

// LinkTo asks for a mail with a link of a kind. Without more it goes to whoever
// has an account of the address, and costs the same when nobody has.
func LinkTo(kind challenge.Kind, to Mailbox) (mail.Request, error) {
	content, err := to.Encode()
	how := letterOf(kind)
	return mail.Request{
		Template: how.template, To: to.Email,
		Link: mail.Link{Kind: kind, Minutes: int(how.life / time.Minute), Page: how.page, Content: content},
	}, err
}

// QueueVerification asks somebody to prove that the address of their new account is
// theirs, in the unit of work that makes it.
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

// QueueInvite asks somebody whose account an administrator made to set a password.
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
func TellMoved(ctx context.Context, mails mailing.Mails, of user.ID, until email.Address) error {
	return mails.Queue(ctx, mail.Request{Template: mail.Notice, UserID: of, To: until, Vital: true, Facts: map[string]string{
		"headline": "The e-mail address of your account was changed",
		"detail":   "Mail about your account goes to its new address from now on. If you did not want this, ask the operator for help at once.",
	}})
}

// TellDeleted informs the mailbox of an account, in the unit of work that deletes it,
// that it is gone: by whom is told where it was its owner, or whoever had their session.
func TellDeleted(ctx context.Context, mails mailing.Mails, u user.Snapshot, now time.Time) error {
	told := notice.Snapshot{UserID: u.ID, CreatedAt: now}
	told.IP, told.UserAgent = notice.Told(event.OriginOf(ctx), u.ID)
	return mails.Queue(ctx, mail.Request{Template: mail.Notice, To: u.Email, Vital: true, Parting: true, Facts: told.Facts(notice.Definition{
		Headline: "Your account was deleted",
		Sentence: "Your account was deleted for good, with everything in its personal workspace. If you did not want this, ask the operator for help at once.",
	})})
}
