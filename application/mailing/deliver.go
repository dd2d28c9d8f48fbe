package mailing

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// What superadmins read of mail that was not sent.
const (
	whyMailbox     = "the address received 20 emails within an hour"
	whyInterrupted = "sending was interrupted too often"
	whySuppressed  = "the address is suppressed: "
	whyUnprepared  = "the email could not be prepared"
)

// errNobody is returned if a mail has no recipient any more.
var errNobody = errors.New("the mail has no recipient")

// addressedMail is a mail with a known recipient.
type addressedMail struct {
	mail.ClaimedMail

	person user.Snapshot
	to     email.Address
	// set are the customized templates.
	set []mail.Override
	// suppressed is why the address gets no mail, or empty.
	suppressed mail.Reason
	look       branding.Settings
}

// deliver attempts to deliver a claimed mail, and records the outcome. If the claim was lost
// meanwhile, the mail is left to its new holder. A mail that cannot be prepared is retried
// like one that cannot be sent, and the cause is returned.
func (d *Delivery) deliver(ctx context.Context, c mail.ClaimedMail) error {
	a, outcome, err := d.attempt(ctx, c)
	switch {
	case errors.Is(err, mail.ErrLost):
		return nil
	case errors.Is(err, errNobody):
		return unlessLost(d.drop(ctx, c))
	case err != nil:
		outcome = d.after(&mail.Refused{Text: whyUnprepared}, c)
	}
	return errors.Join(err, unlessLost(d.recordOutcome(ctx, a, outcome)))
}

// unlessLost returns an error unless it is mail.ErrLost: the new holder of the claim records
// the outcome.
func unlessLost(err error) error {
	if errors.Is(err, mail.ErrLost) {
		return nil
	}
	return err
}

// attempt returns the outcome of one attempt to deliver a mail.
func (d *Delivery) attempt(ctx context.Context, c mail.ClaimedMail) (addressedMail, mail.Outcome, error) {
	a := addressedMail{ClaimedMail: c}
	if c.Attempt > mail.MaxAttempts {
		return a, mail.Outcome{Status: mail.Failed, Why: whyInterrupted}, nil
	}
	preparing, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := d.address(preparing, &a); err != nil {
		return a, mail.Outcome{}, err
	}
	if a.suppressed != "" {
		return a, mail.Outcome{Status: mail.Suppressed, Why: whySuppressed + string(a.suppressed)}, nil
	}
	full, err := d.full(preparing, a)
	if err != nil {
		return a, mail.Outcome{}, err
	}
	if full > 0 && a.gathers() {
		return a, mail.Outcome{}, d.gather(preparing, a, full)
	}
	if full > 0 {
		return a, mail.Outcome{Status: mail.Suppressed, Why: whyMailbox}, nil
	}
	if a.look, err = d.BrandingDirectory.InForce(preparing, a.Org); err != nil {
		return a, mail.Outcome{}, err
	}
	values, err := d.values(preparing, a)
	if err != nil {
		return a, mail.Outcome{}, err
	}
	return a, d.send(ctx, a, values), nil
}

// after returns the outcome of an error.
func (d *Delivery) after(err error, c mail.ClaimedMail) mail.Outcome {
	return mail.After(err, c.Attempt, d.Random.Bytes(1)[0], d.Clock.Now())
}

// address determines the recipient of a mail, and records it. It fails with errNobody if there
// is no account, if it may not be used, or if nothing is left to verify. A mail that was
// requested by an address goes to the address of the account: the requested one may be another
// mailbox that folds alike.
func (d *Delivery) address(ctx context.Context, a *addressedMail) error {
	return d.Unit.Do(ctx, func(tx Repos) error {
		if err := d.find(ctx, tx, a); err != nil {
			return err
		}
		if s, found, err := tx.Suppressions.Find(ctx, a.to); err != nil {
			return err
		} else if found {
			a.suppressed = s.Reason
		}
		if err := a.choose(ctx, tx); err != nil {
			return err
		}
		return tx.Outbox.Address(ctx, a.ClaimedMail, a.person.ID, a.to)
	})
}

// find reads the recipient of a mail. It fails with errNobody if there is none.
func (d *Delivery) find(ctx context.Context, tx Repos, a *addressedMail) error {
	a.person, a.to, a.suppressed = user.Snapshot{}, a.To, ""
	if a.Parting {
		return nil
	}
	if a.Guest {
		return d.guest(ctx, tx, a)
	}
	u, err := reader(ctx, tx, a.Request)
	if errors.Is(err, user.ErrNotFound) {
		return errNobody
	}
	if err != nil {
		return err
	}
	if a.person = u.Snapshot(); !d.wanted(*a) {
		return errNobody
	}
	if a.to.IsZero() || a.UserID == "" {
		a.to = a.person.Email
	}
	return nil
}

// guest reads the account of a guest, if there is one that may be used.
func (d *Delivery) guest(ctx context.Context, tx Repos, a *addressedMail) error {
	u, err := tx.Users.ByEmail(ctx, a.To)
	if errors.Is(err, user.ErrNotFound) {
		return nil
	}
	if err == nil && u.Snapshot().Usable(d.Clock.Now()) {
		a.person = u.Snapshot()
	}
	return err
}

// proved reports whether the reader has shown the address to be theirs.
func (a *addressedMail) proved() bool { return a.person.EmailVerified && a.to == a.person.Email }

// choose selects the templates and the look of the workspace in which the mail was requested, or
// else of the recipient's personal workspace. Warnings use those of the instance. So do mails to
// an address that is not proved to be the recipient's, because a workspace must not choose what
// strangers read, and invitations, because their recipient is not a member of the workspace.
func (a *addressedMail) choose(ctx context.Context, tx Repos) (err error) {
	switch {
	case !a.proved() || a.Template == mail.Invitation:
		a.Org = ""
	case a.Org == "" && !a.Template.Warns():
		if a.Org, err = tx.Belonging.Personal(ctx, a.person.ID); err != nil {
			return err
		}
	}
	a.set, err = tx.Templates.Of(ctx, a.Template, a.Org)
	return err
}

// wanted reports whether the account may be used and, for a mail that verifies an address, is
// not bound to it yet.
func (d *Delivery) wanted(a addressedMail) bool {
	return a.person.Usable(d.Clock.Now()) && (a.Template != mail.VerifyEmail || !a.person.EmailBound)
}

func reader(ctx context.Context, tx Repos, r mail.Request) (*user.User, error) {
	if r.UserID != "" {
		return tx.Users.ByID(ctx, r.UserID)
	}
	return tx.Users.ByEmail(ctx, r.To)
}

// share returns the limit that a mail counts against. Mails that anybody
// can request for an address must not use up the share of notices, by which owners learn that
// their account is taken over, nor that of second factors, without which they cannot log in.
// Confirmations of a new address, which other accounts can request without a limit by address,
// must not use up the links and codes by which its owner regains access.
//
// An address that nobody proved may be a stranger's, who did nothing to be told of.
func (a *addressedMail) share() (key string, rule limit.Rule) {
	hourly := limit.Rule{Limit: mail.MailboxHourly, Window: time.Hour}
	switch {
	case a.Template.Warns() && a.unproved():
		return label.MailboxUnproved, limit.Rule{Limit: mail.UnprovedDaily, Window: day}
	case a.Template.Warns():
		return label.MailboxNotices, hourly
	case a.Template == mail.FactorCode:
		return label.MailboxFactors, hourly
	case a.Template == mail.ConfirmChange:
		return label.MailboxChanges, hourly
	default:
		return label.Mailbox, hourly
	}
}

const day = 24 * time.Hour

// unproved reports whether a mail goes to an address that nobody showed to be theirs.
func (a *addressedMail) unproved() bool { return !a.proved() && !a.Parting && !a.Proved }

// gathers reports whether the mail may wait for others. That includes vital notices to unproved
// addresses.
func (a *addressedMail) gathers() bool {
	return a.Gathers() || a.Template == mail.Notice && a.unproved()
}

// full returns how long an address that has used up its share gets no mail; zero if it gets this
// one. Retries of a mail do not count. Vital mail to proved addresses counts, but is always sent.
func (d *Delivery) full(ctx context.Context, a addressedMail) (time.Duration, error) {
	if a.Attempt > 1 {
		return 0, nil
	}
	key, rule := a.share()
	answer, err := d.Limits.Admit(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{{
		Key: d.Blinder.Index(key, a.to.Folded()), Rule: rule,
	}}})
	if err != nil || answer.Verdicts[0].Allowed {
		return 0, err
	}
	if always := a.Vital || a.Template == mail.ChangeRequested; always && !a.unproved() {
		return 0, nil
	}
	return max(answer.Verdicts[0].RetryAfter, time.Second), nil
}

// gather postpones a mail until its address gets mail again, to be sent in one digest with others
// that wait until then. It releases the claim and returns mail.ErrLost.
func (d *Delivery) gather(ctx context.Context, a addressedMail, wait time.Duration) error {
	err := d.Unit.Do(ctx, func(tx Repos) error {
		return tx.Digests.Gather(ctx, a.ClaimedMail, a.person.ID, d.Clock.Now().Add(wait))
	})
	if err == nil {
		err = mail.ErrLost
	}
	return err
}

// send writes a letter and hands it to the mail server.
func (d *Delivery) send(ctx context.Context, a addressedMail, values letters.Values) mail.Outcome {
	written, err := d.write(a, values)
	if err != nil {
		return mail.Outcome{Status: mail.Failed, Why: "the template could not be rendered"}
	}
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	defer stop()
	err = d.Mailer.Send(sending, mail.Letter{ID: a.ID, To: a.to, From: values.Service(), Subject: written.Subject, HTML: written.HTML, Text: written.Text})
	return d.after(err, a.ClaimedMail)
}

// write renders a mail. If a customized template fails, the built-in one is used, since
// a plain mail is better than none.
func (d *Delivery) write(a addressedMail, values letters.Values) (mail.Source, error) {
	if set, found := mail.Choose(a.set, a.Org, cmp.Or(a.person.Locale, string(a.look.Locale))); found {
		if written, err := letters.Render(a.Template, set.Source, values); err == nil {
			return written, nil
		}
	}
	return letters.Render(a.Template, letters.Builtin(a.Template), values)
}

// recordOutcome stores the outcome of an attempt, also while the service is stopping.
func (d *Delivery) recordOutcome(ctx context.Context, a addressedMail, o mail.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return d.Unit.Do(ctx, func(tx Repos) error {
		if err := tx.Outbox.RecordOutcome(ctx, a.ClaimedMail, o, d.Clock.Now()); err != nil || o.Status != mail.Failed {
			return err
		}
		person := a.person.ID
		if person == "" {
			person = a.UserID
		}
		return tx.Events.Record(ctx, mail.GivenUp{MessageID: a.ID, UserID: person, Template: a.Template, Attempts: min(a.Attempt, mail.MaxAttempts)})
	})
}

// drop deletes a mail that has no recipient.
func (d *Delivery) drop(ctx context.Context, c mail.ClaimedMail) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return d.Unit.Do(ctx, func(tx Repos) error { return tx.Outbox.Drop(ctx, c) })
}

// gone translates the error of a challenge that no longer exists.
func gone(err error) error {
	if errors.Is(err, challenge.ErrGone) {
		return errNobody
	}
	return err
}
