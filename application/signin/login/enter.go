package login

import (
	"context"
	"errors"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// Proof is a person whose identity was proved, by whatever way in.
type Proof struct {
	UserID user.ID
	// Org is the workspace to enter; absent: the one that the person was active in last.
	Org workspace.ID
	// AMR is how the identity was proved (RFC 8176).
	AMR []string
	// Whole reports whether no second factor is missing.
	Whole bool
	// Device is the token of a remembered device, if one was sent.
	Device secret.String
	// New reports whether the account was made in the same unit of work.
	New bool
	// Arrival is what the provider told of somebody who comes from one.
	Arrival *Arrival
	// Invitation is the digest of the token of the invitation that the person comes by.
	Invitation string
	// CommonPassword reports whether the password that was given is a common one.
	CommonPassword bool
	// Must is what the person must do first, besides what holds for them anyway.
	Must []user.Action
	// Invited is the workspace whose invitation made the account.
	Invited workspace.ID
	// Asked is what flows asked for before the second factor, By its method; empty: none was
	// given.
	Asked flow.Demand
	By    mfa.Method
	// Trigger is what flows decide about, where that is not what the command says.
	Trigger flow.Trigger
	// Switching reports whether a session goes on in another workspace.
	Switching bool
	Call      command.Call
	Policies  policy.Set

	// within is the session that goes on; nil: none does.
	within *session.Snapshot
	risk   assessed
}

// entering is who is proved, and how they enter.
func (p Proof) entering() signin.Entering {
	return signin.Entering{Person: p.UserID, Org: p.Org, Client: device.Kind(p.Call.UserAgent)}
}

// Arrival is somebody who comes from an upstream provider, with what it told. It
// waits, in JSON, with a login that waits: nothing of it is stored with the account
// before its person is let in.
type Arrival struct {
	Provider social.Provider `json:"provider"`
	// ID is the provider's identifier of the account there.
	ID       string        `json:"id"`
	Email    email.Address `json:"email,omitzero"`
	Verified bool          `json:"verified,omitzero"`
	// Access and Refresh are tokens for the provider's own API.
	Access    secret.Shown `json:"access"`
	Refresh   secret.Shown `json:"refresh,omitzero"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Scopes    []string     `json:"scopes,omitzero"`
}

// Arrivals knows the rules of linking.
type Arrivals interface {
	// Settle stores what the provider told with the account that its person is let
	// into, and links the two where they are not yet, as far as that may be at this
	// moment. It tells why it may not, or "".
	Settle(ctx context.Context, tx Repos, owner user.ID, from Arrival) (string, error)
}

// Opened is the outcome of a login: a session whose tokens are yet to be signed, or
// a challenge that is yet to be answered.
type Opened struct {
	User    user.Snapshot
	Session session.Snapshot
	// Held is what the person holds in the workspace that they entered.
	Held    role.Holding
	Refresh secret.Shown
	// Actions are what is required first; the session is for that alone.
	Actions []user.Action
	// Refusal is what a person is told whom the workspace, or a flow, does not let in.
	Refusal error
	// Challenge is the handle of the challenge, Methods how it may be answered.
	Challenge secret.Shown
	Methods   []mfa.Method
}

// Outcome is the answer to a login: the token pair (specification section 2.4), a
// challenge for a second factor, or what is required first (contract section 5).
type Outcome struct {
	AccessToken  secret.Shown `json:"access_token,omitzero" doc:"Bearer token for protected commands; absent while something is missing."`
	RefreshToken secret.Shown `json:"refresh_token,omitzero" doc:"Token that AUTH.REFRESH takes once for a new pair."`
	TokenType    string       `json:"token_type,omitzero" doc:"Always Bearer (RFC 6750)."`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until the access token or the challenge expires."`
	MFARequired  bool         `json:"mfa_required,omitzero" doc:"A second factor is missing: send its code and the challenge token to AUTH.MFA_VERIFY."`
	// ChallengeToken is a handle, or an access token for what is required.
	ChallengeToken  secret.Shown  `json:"challenge_token,omitzero" doc:"With mfa_required: what AUTH.MFA_VERIFY takes. With required_actions: a bearer token for the commands that fulfil them, and nothing else."`
	Methods         []mfa.Method  `json:"methods,omitzero" doc:"Ways in which the challenge may be answered."`
	RequiredActions []user.Action `json:"required_actions,omitzero" doc:"What must be done first; then sign in again. change_password: USER.CHANGE_PASSWORD, verify_email: AUTH.VERIFY_EMAIL, enroll_mfa: AUTH.MFA_SETUP_TOTP or a passkey."`
}

// Enter lets a person in whose identity was proved, inside a unit of work, as far
// as account and policies allow. Why it refuses is stored and told, or "".
func (s *Service) Enter(ctx context.Context, tx Repos, p Proof) (Opened, string, error) {
	who, err := s.entrant(ctx, tx, p)
	if err != nil && !errors.Is(err, user.ErrNotFound) {
		return Opened{}, "", err
	}
	// Who guessed a password leaves a trace, whatever workspace they name.
	if reason := s.barred(who); reason != "" {
		return Opened{}, reason, s.Refuse(ctx, tx, p.UserID, reason)
	}
	if refusal := admit(who, p.AMR); refusal != nil {
		return Opened{Refusal: refusal}, login.NotAdmitted, s.Refuse(ctx, tx, p.UserID, login.NotAdmitted)
	}
	p.Org = who.Member.Snapshot().OrgID
	if refusal, err := s.weighUp(ctx, tx, who, &p); err != nil || refusal != nil {
		return Opened{Refusal: refusal}, login.FlowBlocked, err
	}
	own, err := s.ownFactors(ctx, tx, who, p)
	if err != nil {
		return Opened{}, "", err
	}
	if own.missing {
		// The account is stored as open does it: what ends the logins that wait stores it
		// first, so none begins to wait behind the back of that.
		if err := tx.Users.Save(ctx, who.User); err != nil {
			return Opened{}, "", err
		}
		opened, err := s.challenge(ctx, tx, p, own)
		return opened, "", err
	}
	// What open stores is the account as it was read before this, so that a change of
	// its address that crosses the login meets its version.
	if reason, err := s.arrive(ctx, tx, p); err != nil || reason != "" {
		return Opened{}, reason, err
	}
	if err := s.accept(ctx, tx, who.User, p); err != nil {
		return Opened{}, "", err
	}
	opened, err := s.open(ctx, tx, who, p.requiring(own.actions))
	if err != nil || p.New {
		return opened, "", err
	}
	return opened, "", tx.Events.Record(ctx, login.Succeeded{UserID: p.UserID, AMR: p.AMR})
}

// barred reports why somebody is not let in, whatever they proved, or "".
func (s *Service) barred(who signin.Entrant) string {
	switch {
	case who.User == nil:
		return login.UnknownUser
	case !who.User.Snapshot().Usable(s.Clock.Now()):
		return login.UserDisabled
	case who.Member == nil:
		return login.NotAMember
	default:
		return ""
	}
}

// ownFactors are a person's second factors, as far as they bear on a login.
type ownFactors struct {
	methods []mfa.Method
	// only are the methods that a flow takes; nil: all.
	only []string
	// actions are what the person must do first.
	actions []user.Action
	// missing reports whether this login needs a second factor, noMail that a mailed code is
	// none, although it is enrolled.
	missing, noMail bool
}

// ownFactors reports whether a second factor is missing. A passkey answers a
// challenge, but having one asks for none: it is a way in of its own. It does ask
// while far more logins fail than usual (contract section 10), at high risk where the
// policy says so, and before what is required in a session, which needs a recent proof by
// it (access.Rule.Recent); then a remembered device does not do either.
func (s *Service) ownFactors(ctx context.Context, tx Repos, who signin.Entrant, p Proof) (ownFactors, error) {
	enrolled, now := who.Factors.Enrolled(), s.Clock.Now()
	own := ownFactors{
		methods: offered(who.Factors, who.Passkey, p.AMR, now),
		noMail:  distrusted(who.Factors, who.Passkey, now),
		actions: required(who.User.Snapshot(), enrolled || who.Passkey, p),
	}
	strict := s.Instance.State().Spike.On(now) || p.risk.strict ||
		slices.ContainsFunc(own.actions, func(a user.Action) bool { return a != user.VerifyEmail })
	own.missing = !p.Whole && (enrolled || (who.Passkey && (p.Policies.MFA.Required || strict)))
	own.demand(p)
	if !own.missing || p.Asked.MFA || p.Device.Empty() || p.Policies.MFA.RememberDays == 0 || strict {
		return own, nil
	}
	remembered, err := s.recognised(ctx, tx, p)
	own.missing = !remembered
	return own, err
}

// recognised reports whether the device of a proof is remembered.
func (s *Service) recognised(ctx context.Context, tx Repos, p Proof) (bool, error) {
	now := s.Clock.Now()
	return tx.Devices.Recognise(ctx, p.UserID, challenge.Digest(p.Device.Reveal()), p.Policies.MFA.RememberedAfter(now), now)
}

// demand puts what flows ask for over that: a second factor of theirs, also where the
// account gave another one, and where it has none of them that one is enrolled.
func (own *ownFactors) demand(p Proof) {
	if !p.Asked.MFA || p.Whole && (p.Asked.Methods == nil || p.Asked.Takes(string(p.By))) {
		return
	}
	usable := slices.DeleteFunc(slices.Clone(own.methods), func(m mfa.Method) bool { return !p.Asked.Takes(string(m)) })
	switch {
	case len(usable) > 0:
		own.methods, own.only, own.missing = usable, p.Asked.Methods, true
	case !slices.Contains(own.actions, user.EnrollMFA):
		own.actions = append(own.actions, user.EnrollMFA)
	}
}

// demand is a proof with what is required besides.
type demand struct {
	Proof

	actions []user.Action
}

func (p Proof) requiring(actions []user.Action) demand { return demand{p, actions} }

// required is what the person, who may have a second factor, must do before they are
// let in.
func required(u user.Snapshot, factor bool, p Proof) []user.Action {
	actions := slices.Clone(u.RequiredActions)
	if p.Policies.Signup.MustVerify(u.EmailVerified) {
		// Nothing else can be done before.
		actions = slices.DeleteFunc(actions, func(a user.Action) bool { return a == user.VerifyEmail })
		actions = slices.Insert(actions, 0, user.VerifyEmail)
	}
	if p.Policies.MFA.Required && !factor && !slices.Contains(actions, user.EnrollMFA) {
		actions = append(actions, user.EnrollMFA)
	}
	for _, must := range slices.Concat(p.Must, asked(p.Asked, factor)) {
		if !slices.Contains(actions, must) {
			actions = append(actions, must)
		}
	}
	return slices.DeleteFunc(actions, func(a user.Action) bool { return a == user.VerifyEmail && u.EmailVerified })
}

// unfinishedLife is how long somebody has to do what is required of them.
const unfinishedLife = 10 * time.Minute

// unfinishedPolicy is that of a session in which they do it.
func unfinishedPolicy() policy.Session {
	minutes := int(unfinishedLife / time.Minute)
	return policy.Session{IdleMinutes: minutes, AbsoluteMinutes: minutes}
}

// open stores a new session.
func (s *Service) open(ctx context.Context, tx Repos, who signin.Entrant, p demand) (Opened, error) {
	now := s.Clock.Now()
	who.User.LoggedIn(now)
	if err := tx.Users.Save(ctx, who.User); err != nil {
		return Opened{}, err
	}
	rules := capped(p.Policies.Session, p.Asked)
	if len(p.actions) > 0 {
		rules = unfinishedPolicy()
	}
	of := session.NewID(s.IDs)
	refresh, digest := s.Refresh.Make(of)
	begun := session.Begin(session.Start{
		ID: of, UserID: p.UserID, OrgID: p.Org, AMR: p.AMR, IP: p.Call.IP,
		UserAgent: p.Call.UserAgent, Refresh: digest, Policy: rules, Claims: p.Asked.Claims,
	}, now)
	if err := tx.Sessions.Save(ctx, begun); err != nil {
		return Opened{}, err
	}
	if err := s.keep(ctx, tx, p.Proof, of); err != nil {
		return Opened{}, err
	}
	if err := remember(ctx, tx, who); err != nil {
		return Opened{}, err
	}
	if _, err := s.join(ctx, tx, who, ""); err != nil {
		return Opened{}, err
	}
	if err := s.greet(ctx, tx, who.Client, p.Proof); err != nil {
		return Opened{}, err
	}
	return Opened{
		User: who.User.Snapshot(), Session: begun.Snapshot(), Held: who.Held, Refresh: refresh, Actions: p.actions,
	}, nil
}

// arrive decides the arrival of somebody who came from a provider. It returns why
// they are refused, or "".
func (s *Service) arrive(ctx context.Context, tx Repos, p Proof) (string, error) {
	if p.Arrival == nil {
		return "", nil
	}
	reason, err := s.Arrivals.Settle(ctx, tx, p.UserID, *p.Arrival)
	if err != nil || reason == "" {
		return "", err
	}
	return reason, s.Refuse(ctx, tx, p.UserID, reason)
}

// greet notes what somebody logs in with, and tells them of it when the account has
// not seen it lately, unless they are told of the login anyway.
func (s *Service) greet(ctx context.Context, tx Repos, known notice.Client, p Proof) error {
	now := s.Clock.Now()
	news, note := known.Meet(p.Policies.Session.Absolute(), now)
	if note {
		if err := tx.Clients.Note(ctx, p.UserID, device.Kind(p.Call.UserAgent), now); err != nil {
			return err
		}
	}
	if !news {
		return nil
	}
	if err := tx.Clients.Forget(ctx, p.UserID, notice.MaxClients); err != nil || p.risk.told {
		return err
	}
	return tx.Notices.Tell(ctx, p.UserID, notice.NewDevice, time.Time{})
}

// Refuse stores a failed login of an account, or of none.
func (s *Service) Refuse(ctx context.Context, tx Repos, tried user.ID, reason string) error {
	if _, err := tx.Failures.Count(ctx, s.Clock.Now()); err != nil {
		return err
	}
	return tx.Events.Record(ctx, login.Failed{UserID: tried, Reason: reason})
}

// Answer hands out what a login came to, outside any unit of work: it signs the
// tokens. A reason makes it fail with refused, which tells nothing of it; only that
// the person is no member of the workspace that they asked for, or why that does not let
// them in, is said.
func (s *Service) Answer(ctx context.Context, o Opened, reason string, refused error) (Outcome, error) {
	switch {
	case reason == login.NotAMember:
		return Outcome{}, workspace.ErrNotMember
	case reason == login.NotAdmitted, reason == login.FlowBlocked:
		return Outcome{}, o.Refusal
	case reason != "":
		return Outcome{}, refused
	case o.Challenge != "":
		return Outcome{MFARequired: true, ChallengeToken: o.Challenge, Methods: o.Methods, ExpiresIn: int(challengeLife / time.Second)}, nil
	}
	held, err := s.Books.Standing(ctx, o.Held, s.Clock.Now())
	if err != nil {
		return Outcome{}, err
	}
	if len(o.Actions) > 0 {
		bearer, expiresIn, err := s.Access.IssueUnfinished(o.Session, o.User, held)
		return Outcome{RequiredActions: o.Actions, ChallengeToken: secret.Shown(bearer), ExpiresIn: expiresIn}, err
	}
	access, expiresIn, err := s.Access.Issue(ctx, o.Session, o.User, held)
	if err != nil {
		return Outcome{}, err
	}
	pair := token.NewPair(access, o.Refresh, expiresIn)
	return Outcome{AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, TokenType: pair.TokenType, ExpiresIn: expiresIn}, nil
}
