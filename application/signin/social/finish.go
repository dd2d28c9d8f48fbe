package social

import (
	"cmp"
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// errMoved is returned if a login turned out to be for another account than the one whose
// policies were read.
var errMoved = errors.New("the sign-in now belongs to a different account")

// arrive exchanges the provider's code, outside any transaction.
func (s *Service) arrive(ctx context.Context, c ceremony) (arrival, error) {
	client, err := s.Providers.client(ctx, c.Provider)
	if err != nil {
		return arrival{}, err
	}
	var found signin.UpstreamLogin
	err = s.Transactions.Pause(ctx, func() (err error) {
		found, err = s.Upstream.Exchange(ctx, client, signin.UpstreamTokenParams{
			Code: secret.New(c.Code), Verifier: c.Verifier, RedirectURI: c.Target,
		})
		return err
	})
	if err != nil {
		s.complain(ctx, c.Provider, err)
		return arrival{}, err
	}
	return arrival{UpstreamLogin: found, client: client, tokens: s.kept(found.Tokens)}, nil
}

// complain logs, for the operator, that a provider does not answer as it should.
func (s *Service) complain(ctx context.Context, p domainsocial.Provider, err error) {
	if errors.Is(err, domainsocial.ErrUnavailable) {
		s.Logger.WarnContext(ctx, "a sign-in provider fails", "provider", string(p), "cause", errors.Unwrap(err))
	}
}

// kept returns tokens in the form in which they are stored.
func (s *Service) kept(t signin.UpstreamTokens) identity.Tokens {
	tokens := identity.Tokens{Access: t.Access, Refresh: t.Refresh, Scopes: t.Scopes}
	if t.Life > 0 {
		tokens.ExpiresAt = s.Login.Clock.Now().Add(t.Life)
	}
	return tokens
}

// Finish completes the login of a person who returned from a provider. Refused logins are
// recorded; if the provider does not answer, nothing is.
func (s *Service) Finish(ctx context.Context, call command.Call, r Return) (login.Outcome, error) {
	begun, err := s.redeem(ctx, call, r)
	if err != nil {
		return login.Outcome{}, err
	}
	from, err := s.arrive(ctx, begun)
	if errors.Is(err, domainsocial.ErrCode) {
		return login.Outcome{}, s.refuse(ctx, call, err)
	}
	if err != nil {
		return login.Outcome{}, err
	}
	from.org, from.invitation = r.Org, begun.Invitation
	return s.admit(ctx, call, from)
}

// refuse records the failed login of a person whom a provider does not vouch for, and returns why.
func (s *Service) refuse(ctx context.Context, call command.Call, why error) error {
	var refused login.Opened
	err := s.Unit.Do(ctx, func(tx Repos) (err error) {
		refused, err = s.Login.Enter(ctx, tx, login.Proof{Wanted: login.Wanted{Call: call, Refused: why}, Failed: loginevent.Upstream})
		return err
	})
	return cmp.Or(err, refused.Refusal)
}

// admit logs a person in under the policies of their account. It starts over if the login
// turns out to be for another account.
func (s *Service) admit(ctx context.Context, call command.Call, from arrival) (login.Outcome, error) {
	const tries = 3
	var opened login.Opened
	for try := 1; ; try++ {
		policies, whose, err := s.policies(ctx, from)
		if err != nil {
			return login.Outcome{}, err
		}
		err = s.Unit.Do(ctx, func(tx Repos) error {
			opened, err = s.enter(ctx, tx, from, login.Proof{
				Wanted: login.Wanted{Call: call, Policies: policies, Org: from.org, Invitation: from.invitation, Refused: domainsocial.ErrRefused},
				UserID: whose, AMR: []string{login.ByProvider}, Arrival: from.kept(),
			})
			return err
		})
		if errors.Is(err, errMoved) && try < tries {
			continue
		}
		if errors.Is(err, errMoved) {
			return login.Outcome{}, domainsocial.ErrRefused
		}
		if err != nil {
			return login.Outcome{}, s.Inviting.RevokeWithdrawn(ctx, from.invitation, err)
		}
		return s.Login.Answer(ctx, opened)
	}
}

// policies returns the policies of the account that a person would log into, and its
// identifier. If there is no such account yet, the policies are those of the instance.
func (s *Service) policies(ctx context.Context, from arrival) (policy.Set, user.ID, error) {
	var whose user.ID
	err := s.Unit.Do(ctx, func(tx Repos) error {
		found, err := look(ctx, tx, from)
		whose = found.account()
		return err
	})
	if err != nil || whose == "" {
		return s.Login.Instance.State().Policies, "", err
	}
	all, err := s.Login.Policies.OfUser(ctx, whose)
	return all, whose, err
}

// matches is what the store knows about a person who returned from a provider.
type matches struct {
	linked *identity.Identity
	found  *user.User
	held   bool
}

// account returns the account that they would log into or be asked to link; "" for none.
func (k matches) account() user.ID {
	switch {
	case k.linked != nil:
		return k.linked.Snapshot().UserID
	case k.found != nil:
		return k.found.ID()
	}
	return ""
}

// decide returns how the person of a profile signs in.
func (k matches) decide(p domainsocial.Profile) (domainsocial.Way, error) {
	situation := domainsocial.Situation{Profile: p, Linked: k.linked != nil, Held: k.held}
	if k.found != nil {
		account := k.found.Snapshot()
		situation.Found = &account
	}
	return domainsocial.Decide(situation)
}

func look(ctx context.Context, tx Repos, from arrival) (matches, error) {
	linked, err := tx.Identities.ByUpstream(ctx, from.upstream())
	if err == nil {
		return matches{linked: linked}, nil
	}
	if !errors.Is(err, identity.ErrNotFound) || !from.Profile.Vouched() {
		return matches{}, except(err, identity.ErrNotFound)
	}
	found, err := tx.Users.ByEmail(ctx, from.Profile.Email)
	if err != nil {
		return matches{}, except(err, user.ErrNotFound)
	}
	held, err := of(ctx, tx, found.ID(), from.client.Provider)
	return matches{found: found, held: held != nil}, err
}

// except returns an error unless it is the one that says that there is nothing.
func except(err error, nothing *fault.Error) error {
	if errors.Is(err, nothing) {
		return nil
	}
	return err
}

// of returns the identity of a provider that is linked to an account, or nil.
func of(ctx context.Context, tx Repos, owner user.ID, p domainsocial.Provider) (*identity.Identity, error) {
	all, err := tx.Identities.ByUser(ctx, owner)
	for _, one := range all {
		if one.Snapshot().Upstream.Provider == string(p) {
			return one, nil
		}
	}
	return nil, err
}

// enter logs a person into the linked account, into one that is to be linked, or into a new
// one. The link is stored once the login succeeds (Arrivals), which may be after a second
// factor.
func (s *Service) enter(ctx context.Context, tx Repos, from arrival, p login.Proof) (login.Opened, error) {
	seen, err := look(ctx, tx, from)
	if err != nil {
		return login.Opened{}, err
	}
	if seen.account() != p.UserID {
		return login.Opened{}, errMoved
	}
	way, err := seen.decide(from.Profile)
	switch {
	case err != nil:
		p.Failed, p.Refused = loginevent.Upstream, err
	case way == domainsocial.Create:
		p.New = true
		if p.UserID, err = s.create(ctx, tx, from); err != nil {
			return login.Opened{}, err
		}
	}
	return s.Login.Enter(ctx, tx, p)
}

// mayRegister checks whether an account may be created, and locks the invitation, if any,
// against concurrent use.
func (s *Service) mayRegister(ctx context.Context, tx Repos, from arrival) error {
	state := s.Login.Instance.State()
	if from.invitation == "" {
		return account.MayRegister(state, from.Profile.Email)
	}
	held, err := tx.Inviting.Hold(ctx, from.invitation, s.Login.Clock.Now())
	if err != nil {
		return err
	}
	if held.Email.Folded() != from.Profile.Email.Folded() {
		return invitation.ErrOther
	}
	return state.Policies.Signup.Admit(from.Profile.Email)
}

// create creates an account from the profile that a provider vouches for. It fails with
// account.ErrClosed, like mayRegister, or with aggregate.ErrConflict if the address was taken
// meanwhile.
func (s *Service) create(ctx context.Context, tx Repos, from arrival) (user.ID, error) {
	if !from.client.AllowSignup {
		return "", account.ErrClosed
	}
	if err := s.mayRegister(ctx, tx, from); err != nil {
		return "", err
	}
	people := account.Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces}
	made, err := account.Create(ctx, people, s.Login.IDs, account.Draft{
		Email: from.Profile.Email, Verified: true, DisplayName: from.Profile.Name, Avatar: from.Profile.Avatar,
	}, s.Login.Clock.Now())
	if errors.Is(err, user.ErrEmailTaken) {
		return "", aggregate.ErrConflict
	}
	if err != nil {
		return "", err
	}
	return made.User.ID(), nil
}
