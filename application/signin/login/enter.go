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
	"gatehouse.internal/domain/loginevent"
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

// Proof is a proved identity, whichever way of signing in proved it.
type Proof struct {
	UserID user.ID
	// Org is the workspace to enter; if empty, the one that was active last.
	Org workspace.ID
	// AMR holds the authentication methods (RFC 8176).
	AMR []string
	// Whole reports whether the second factor was given, or is not needed.
	Whole bool
	// AuthTime is when presence was proved, if that was before this login.
	AuthTime time.Time
	// Device is the token of a remembered device, if one was sent.
	Device secret.String
	// New reports whether the account was created in the same unit of work.
	New bool
	// Arrival is the upstream account of a social login; else nil.
	Arrival *Arrival
	// Invitation is the digest of the invitation token, if the person follows an invitation.
	Invitation string
	// CommonPassword reports whether the password that was given is a common one.
	CommonPassword bool
	// Must are required actions in addition to those of the account and its policies.
	Must []user.Action
	// Invited is the workspace whose invitation created the account.
	Invited workspace.ID
	// Asked is what flows demanded before the second factor was given, By is the method of
	// that factor; empty if none was given.
	Asked flow.Demand
	By    mfa.Method
	// Trigger overrides the flow trigger of the command.
	Trigger flow.Trigger
	// Switching reports whether an existing session moves to another workspace.
	Switching bool
	Call      command.Call
	Policies  policy.Set

	// within is the existing session; nil for a login. inside reports whether it acts in the
	// workspace already.
	within *session.Snapshot
	inside bool
	// home reports whether to enter the personal workspace.
	home bool
	risk assessed
}

// entering returns the query for the account and workspace of the proof.
func (p Proof) entering() signin.LoginTarget {
	return signin.LoginTarget{Person: p.UserID, Org: p.Org, Home: p.home, Client: device.Kind(p.Call.UserAgent)}
}

// Arrival is the account at an upstream provider that a social login came with. It is stored,
// as JSON, with a challenge; nothing of it is stored with the account before the login has
// succeeded.
type Arrival struct {
	Provider social.Provider `json:"provider"`
	// ID is the identifier of the account at the provider.
	ID       string        `json:"id"`
	Email    email.Address `json:"email,omitzero"`
	Verified bool          `json:"verified,omitzero"`
	// Access and Refresh are tokens for the provider's own API.
	Access    secret.Shown `json:"access"`
	Refresh   secret.Shown `json:"refresh,omitzero"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Scopes    []string     `json:"scopes,omitzero"`
}

// Arrivals links upstream accounts.
type Arrivals interface {
	// Link stores the upstream account with the account that its owner has signed in to, and
	// links the two if they are not linked yet and may be. It returns the reason why they may
	// not, or "".
	Link(ctx context.Context, tx Repos, owner user.ID, from Arrival) (string, error)
}

// Opened is the outcome of a login before tokens are signed: a session, or a challenge.
type Opened struct {
	User    user.Snapshot
	Session session.Snapshot
	// Held are the person's roles in the workspace of the session.
	Held    role.MemberGrants
	Refresh secret.Shown
	// Actions are required first; a session with actions can be used for nothing else.
	Actions []user.Action
	// Refusal is the error to return if the workspace or a flow refuses the login.
	Refusal error
	// Challenge is the token of the challenge, Methods are the factors that answer it.
	Challenge secret.Shown
	Methods   []mfa.Method
}

// Outcome is the result of a login: the token pair (specification section 2.4), a
// challenge for a second factor, or required actions (contract section 5).
type Outcome struct {
	AccessToken  secret.Shown `json:"access_token,omitzero" doc:"Bearer token for protected commands. Omitted while a second factor or a required action is missing."`
	RefreshToken secret.Shown `json:"refresh_token,omitzero" doc:"Refresh token for AUTH.REFRESH. It works once."`
	TokenType    string       `json:"token_type,omitzero" doc:"Always Bearer (RFC 6750)."`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until the access token or the challenge expires."`
	MFARequired  bool         `json:"mfa_required,omitzero" doc:"Whether a second factor is needed. Send its code with the challenge token to AUTH.MFA_VERIFY."`
	// ChallengeToken is the token of a challenge, or an access token for the required actions.
	ChallengeToken  secret.Shown  `json:"challenge_token,omitzero" doc:"With mfa_required, the token to pass to AUTH.MFA_VERIFY. With required_actions, a bearer token that only the commands for these actions accept."`
	Methods         []mfa.Method  `json:"methods,omitzero" doc:"Methods that can answer the challenge."`
	RequiredActions []user.Action `json:"required_actions,omitzero" doc:"Actions to complete before signing in again. change_password uses USER.CHANGE_PASSWORD, verify_email uses AUTH.VERIFY_EMAIL, and enroll_mfa uses AUTH.MFA_SETUP_TOTP or a passkey."`
}

// Enter signs in a person whose identity was proved, inside a unit of work, as far as the
// account and the policies allow. If it refuses, the refusal is stored and its reason is
// returned; otherwise the reason is "".
func (s *Service) Enter(ctx context.Context, tx Repos, p Proof) (Opened, string, error) {
	who, err := s.entrant(ctx, tx, p)
	if err != nil && !errors.Is(err, user.ErrNotFound) {
		return Opened{}, "", err
	}
	// The reasons are checked in this order so that a guessed password is recorded whichever
	// workspace was named.
	if reason := s.barred(who); reason != "" {
		return Opened{}, reason, s.Refuse(ctx, tx, p.UserID, reason)
	}
	if refusal := s.admit(who, p); refusal != nil {
		return Opened{Refusal: refusal}, loginevent.NotAdmitted, s.Refuse(ctx, tx, p.UserID, loginevent.NotAdmitted)
	}
	p.Org = who.Member.Snapshot().OrgID
	p.Policies.MFA.Required = p.Policies.MFA.Required || who.Entry.MFA
	if refusal, err := s.weighUp(ctx, tx, who, &p); err != nil || refusal != nil {
		return Opened{Refusal: refusal}, loginevent.FlowBlocked, err
	}
	own, err := s.ownFactors(ctx, tx, who, p)
	if err != nil {
		return Opened{}, "", err
	}
	if own.missing {
		opened, err := s.askFactor(ctx, tx, who, p, own)
		return opened, "", err
	}
	// open stores the account as it was read above, so a concurrent change of its address
	// leads to a conflict.
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
	return opened, "", tx.Events.Record(ctx, loginevent.Succeeded{UserID: p.UserID, AMR: p.AMR})
}

// barred returns the reason why an account cannot sign in at all, or "".
func (s *Service) barred(who signin.Entrant) string {
	switch {
	case who.User == nil:
		return loginevent.UnknownUser
	case !who.User.Snapshot().Usable(s.Clock.Now()):
		return loginevent.UserDisabled
	case who.Member == nil:
		return loginevent.NotAMember
	default:
		return ""
	}
}

// ownFactors are the second factors of a person, as far as a login needs them.
type ownFactors struct {
	methods []mfa.Method
	// only are the methods that a flow accepts; nil means all methods.
	only []string
	// actions are required before anything else.
	actions []user.Action
	// missing reports whether this login still needs a second factor. noMail reports whether a
	// mailed code is refused although that factor is enrolled.
	missing, noMail bool
}

// ownFactors reports whether a login still needs a second factor. A passkey answers a
// challenge, but having one does not demand a second factor, since a passkey is a way to sign
// in by itself. It does demand one during a spike of failed logins (contract section 10), at
// high risk if the policy says so, and before required actions that need recent authentication
// (access.Rule.Recent). In these cases a remembered device does not replace the factor.
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
	remembered, err := s.recognized(ctx, tx, p)
	own.missing = !remembered
	return own, err
}

// recognized reports whether the device of a proof is remembered.
func (s *Service) recognized(ctx context.Context, tx Repos, p Proof) (bool, error) {
	now := s.Clock.Now()
	return tx.Devices.Recognize(ctx, p.UserID, challenge.Digest(p.Device.Reveal()), p.Policies.MFA.RememberedAfter(now), now)
}

// demand applies what flows demand: a second factor that they accept, even if another one was
// given, or the enrollment of one if the account has none that they accept.
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

// demand is a proof together with the required actions.
type demand struct {
	Proof

	actions []user.Action
}

func (p Proof) requiring(actions []user.Action) demand { return demand{p, actions} }

// required returns the actions that must be completed first. The parameter factor reports
// whether the account has a second factor.
func required(u user.Snapshot, factor bool, p Proof) []user.Action {
	actions := slices.Clone(u.RequiredActions)
	if p.Policies.Signup.MustVerify(u.EmailVerified) {
		// Verification comes first, because nothing else is allowed before it.
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

// unfinishedLife is how long a session lasts that is only for required actions.
const unfinishedLife = 10 * time.Minute

// unfinishedPolicy returns the session policy while actions are required.
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
		ID: of, UserID: p.UserID, OrgID: p.Org, AMR: p.AMR, AuthTime: p.AuthTime, IP: p.Call.IP,
		UserAgent: p.Call.UserAgent, Refresh: digest, Policy: rules, Claims: p.Asked.Claims,
	}, now)
	if len(p.actions) == 0 {
		meet(begun, who, p.Call.Revision)
	}
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

// arrive links the upstream account of a social login. It returns the reason for a refusal, or
// "".
func (s *Service) arrive(ctx context.Context, tx Repos, p Proof) (string, error) {
	if p.Arrival == nil {
		return "", nil
	}
	reason, err := s.Arrivals.Link(ctx, tx, p.UserID, *p.Arrival)
	if err != nil || reason == "" {
		return "", err
	}
	return reason, s.Refuse(ctx, tx, p.UserID, reason)
}

// greet records the browser or app of a login and notifies the person if the account has not
// seen it recently, unless they are notified of this login anyway.
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
	if err := tx.Clients.Forget(ctx, p.UserID, notice.MaxClients); err != nil || p.risk.notify {
		return err
	}
	return tx.Notices.Tell(ctx, p.UserID, notice.NewDevice, time.Time{})
}

// Refuse records a failed login. The identifier is empty if there is no such account.
func (s *Service) Refuse(ctx context.Context, tx Repos, tried user.ID, reason string) error {
	if _, err := tx.Failures.Count(ctx, s.Clock.Now()); err != nil {
		return err
	}
	return tx.Events.Record(ctx, loginevent.Failed{UserID: tried, Reason: reason})
}

// Answer turns the outcome of a login into its result and signs the tokens, outside any unit
// of work. With a reason it fails with the given error, which discloses nothing, except where
// the workspace is named in the error: the person is not a member of it, or it does not admit
// them.
func (s *Service) Answer(ctx context.Context, o Opened, reason string, refused error) (Outcome, error) {
	switch {
	case reason == loginevent.NotAMember:
		return Outcome{}, workspace.ErrNotMember
	case reason == loginevent.NotAdmitted, reason == loginevent.FlowBlocked:
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
		return Outcome{RequiredActions: o.Actions, ChallengeToken: bearer, ExpiresIn: expiresIn}, err
	}
	access, expiresIn, err := s.Access.Issue(ctx, o.Session, o.User, held)
	if err != nil {
		return Outcome{}, err
	}
	pair := token.NewPair(access, o.Refresh, expiresIn)
	return Outcome{AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, TokenType: pair.TokenType, ExpiresIn: expiresIn}, nil
}
