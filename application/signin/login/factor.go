package login

import (
	"context"
	"slices"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
)

// factor opens a challenge if the login still needs a second factor. It stores the account, as
// the stage session does: whatever ends waiting logins stores the account first, so a concurrent
// login cannot begin to wait unnoticed.
func (s *Service) factor(ctx context.Context, tx Repos, e *entry) error {
	own, err := s.factorsOf(ctx, tx, e)
	if err != nil || !own.missing {
		return err
	}
	if err := tx.Users.Save(ctx, e.who.User); err != nil {
		return err
	}
	if err := s.keep(ctx, tx, e, ""); err != nil {
		return err
	}
	e.opened, err = s.await(ctx, tx, Waiting{
		UserID: e.UserID, Org: e.org, AMR: e.AMR, NoMail: own.noMail, Arrival: e.Arrival, Invitation: e.Invitation,
		Asked: e.asked, Only: own.only, Assessment: e.risk.stored(), Revision: e.Call.Revision,
	}, own.methods)
	return err
}

// ownFactors are the second factors of a person, as far as a login needs them.
type ownFactors struct {
	methods []mfa.Method
	// only are the methods that a flow accepts; nil means all methods.
	only []string
	// missing reports whether this login still needs a second factor. noMail reports whether a
	// mailed code is refused although that factor is enrolled.
	missing, noMail bool
}

// factorsOf returns the second factors of a login, and whether it still needs one. A passkey answers a
// challenge, but having one does not demand a second factor, since a passkey is a way to sign
// in by itself. It does demand one during a spike of failed logins (contract section 10), at
// high risk if the policy says so, and before required actions that need recent authentication
// (access.Rule.Recent). In these cases a remembered device does not replace the factor.
func (s *Service) factorsOf(ctx context.Context, tx Repos, e *entry) (ownFactors, error) {
	enrolled, passkey, now := e.who.Factors.Enrolled(), e.who.Passkey, s.Clock.Now()
	own := ownFactors{methods: offered(e.who.Factors, passkey, e.AMR, now), noMail: distrusted(e.who.Factors, passkey, now)}
	strict := s.Instance.State().Spike.On(now) || e.risk.strict ||
		slices.ContainsFunc(e.actions, func(a user.Action) bool { return a != user.VerifyEmail })
	own.missing = !e.Whole && (enrolled || (passkey && (e.factorRequired() || strict)))
	e.askedFactor(&own)
	if !own.missing || e.asked.MFA || e.Device.Empty() || e.Policies.MFA.RememberDays == 0 || strict {
		return own, nil
	}
	remembered, err := s.recognized(ctx, tx, e)
	own.missing = !remembered
	return own, err
}

// askedFactor applies what flows demand: a second factor that they accept, even if another one
// was given, or the enrollment of one if the account has none that they accept.
func (e *entry) askedFactor(own *ownFactors) {
	if !e.asked.MFA || e.Whole && (e.asked.Methods == nil || e.asked.Takes(string(e.Factor))) {
		return
	}
	usable := slices.DeleteFunc(slices.Clone(own.methods), func(m mfa.Method) bool { return !e.asked.Takes(string(m)) })
	switch {
	case len(usable) > 0:
		own.methods, own.only, own.missing = usable, e.asked.Methods, true
	case !slices.Contains(e.actions, user.EnrollMFA):
		e.actions = append(e.actions, user.EnrollMFA)
	}
}

// recognized reports whether the device of a proof is remembered.
func (s *Service) recognized(ctx context.Context, tx Repos, e *entry) (bool, error) {
	now := s.Clock.Now()
	return tx.Devices.Recognize(ctx, e.UserID, challenge.Digest(e.Device.Reveal()), e.Policies.MFA.RememberedAfter(now), now)
}
