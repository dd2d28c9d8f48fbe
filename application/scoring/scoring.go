// Package scoring assesses login attempts: it reads the inputs of domain/risk. It is
// called once for each attempt, after the proof and before a session or a challenge;
// flows read the result, and RISK.EVALUATE assesses made-up situations.
//
// An assessment costs one statement (signin.RiskHistories), in the unit of work of the
// login. It is skipped if all weights of the policy are zero and no flow needs it.
package scoring

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// Attempt is a login attempt.
type Attempt struct {
	User  user.ID
	Email email.Address
	// Within narrows the history to the logins of one workspace.
	Within    workspace.ID
	IP        string
	UserAgent string
	// AnyClient treats any client as known.
	AnyClient bool
	// Device is the token of a remembered device, if one was sent.
	Device secret.String
	// CommonPassword reports whether the password that was given is a common one.
	CommonPassword bool
	// BegunWith is the user agent of the continued session; nil for a new one.
	BegunWith *string
	At        time.Time
	Policies  policy.Set
}

// Facts are the score of an attempt, and further values for flows.
type Facts struct {
	risk.Score

	Place   risk.Place
	History risk.History
}

// Scorer assesses attempts.
type Scorer struct {
	Lists  addresses.Lists
	Places signin.Places
}

// Assess scores an attempt by its history, which it reads in one round trip.
func (s *Scorer) Assess(ctx context.Context, histories signin.RiskHistories, a Attempt) (Facts, error) {
	ask := signin.RiskQuery{
		User: a.User, Org: a.Within, IP: a.IP, Client: device.Kind(a.UserAgent), Now: a.At,
		KnownFor: notice.KnownFor(a.Policies.Session.Absolute()), RememberedAfter: a.Policies.MFA.RememberedAfter(a.At),
	}
	if !a.Device.Empty() {
		ask.Device = challenge.Digest(a.Device.Reveal())
	}
	history, err := histories.Of(ctx, ask)
	if err != nil {
		return Facts{}, err
	}
	history.KnownClient = history.KnownClient || a.AnyClient
	situation, err := s.situation(ctx, a)
	if err != nil {
		return Facts{}, err
	}
	for i := range history.Logins {
		history.Logins[i].Place = s.Places.Place(history.Logins[i].IP)
	}
	return Facts{Score: risk.Assess(situation, history, a.Policies.Risk), Place: situation.Place, History: history}, nil
}

// situation returns the inputs contained in an attempt.
func (s *Scorer) situation(ctx context.Context, a Attempt) (risk.Situation, error) {
	here := risk.Situation{
		At: a.At, Client: device.Kind(a.UserAgent), EmailDomain: a.Email.Domain(), CommonPassword: a.CommonPassword,
	}
	if a.BegunWith != nil {
		began := device.Kind(*a.BegunWith)
		here.BegunWith = &began
	}
	ip, err := netip.ParseAddr(a.IP)
	if err != nil {
		return here, nil //nolint:nilerr // A call from nowhere has no address.
	}
	here.IP, here.Place = iprule.Plain(ip), s.Places.Place(ip)
	for _, list := range a.Policies.Risk.Lists {
		on, err := s.Lists.Contains(ctx, "", list, here.IP)
		if err != nil {
			return here, err
		}
		if on {
			here.Lists = append(here.Lists, list)
		}
	}
	return here, nil
}
