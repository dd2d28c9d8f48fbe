package social

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/invitation"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	upstream "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// errMoved says that whom a login is for changed while their policies were read.
var errMoved = errors.New("the login is for another account by now")

// arrive exchanges the provider's code, outside any transaction.
func (s *Service) arrive(ctx context.Context, c ceremony) (arrival, error) {
	client, err := s.Providers.client(ctx, c.Provider)
	if err != nil {
		return arrival{}, err
	}
	var found signin.UpstreamLogin
	err = s.Transactions.Pause(ctx, func() (err error) {
		found, err = s.Upstream.Exchange(ctx, client, signin.UpstreamAnswer{
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
func (s *Service) complain(ctx context.Context, p upstream.Provider, err error) {
	if errors.Is(err, upstream.ErrUnavailable) {
		s.Logger.WarnContext(ctx, "a provider of social logins fails", "provider", string(p), "cause", errors.Unwrap(err))
	}
}

// kept returns tokens as they are stored.
func (s *Service) kept(t signin.UpstreamTokens) identity.Tokens {
	tokens := identity.Tokens{Access: t.Access, Refresh: t.Refresh, Scopes: t.Scopes}
	if t.Life > 0 {
		tokens.ExpiresAt = s.Login.Clock.Now().Add(t.Life)
	}
	return tokens
}

// Finish lets somebody in who comes back from a provider. Logins that are refused
// are stored; a provider that does not answer stores nothing.
func (s *Service) Finish(ctx context.Context, call command.Call, r Return) (login.Outcome, error) {
	begun, err := s.redeem(ctx, call, r)
	if err != nil {
		return login.Outcome{}, err
	}
	from, err := s.arrive(ctx, begun)
	if errors.Is(err, upstream.ErrCode) {
		if failed := s.Unit.Do(ctx, func(tx Repos) error { return s.Login.Refuse(ctx, tx, "", outcome.Upstream) }); failed != nil {
			return login.Outcome{}, failed
		}
	}
	if err != nil {
		return login.Outcome{}, err
	}
	from.org, from.invitation = r.Org, begun.Invitation
	return s.admit(ctx, call, from)
}

// admit lets somebody in under the policies of the account that they get into. It
// begins anew when that turns out to be another than it was.
func (s *Service) admit(ctx context.Context, call command.Call, from arrival) (login.Outcome, error) {
	const tries = 3
	var did entry
	for try := 1; ; try++ {
		policies, whose, err := s.policies(ctx, from)
		if err != nil {
			return login.Outcome{}, err
		}
		err = s.Unit.Do(ctx, func(tx Repos) error {
			did, err = s.enter(ctx, tx, from, login.Proof{
				UserID: whose, Org: from.org, AMR: []string{login.ByProvider}, Arrival: from.told(), Invitation: from.invitation,
				Call: call, Policies: policies,
			})
			return err
		})
		if errors.Is(err, errMoved) && try < tries {
			continue
		}
		if errors.Is(err, errMoved) {
			return login.Outcome{}, upstream.ErrRefused
		}
		if err != nil {
			return login.Outcome{}, s.Inviting.RevokeWithdrawn(ctx, from.invitation, err)
		}
		return s.Login.Answer(ctx, did.opened, did.reason, did.told)
	}
}

// policies returns those of the account that somebody would get into, with its
// identifier; without one they are the instance's.
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

// known is what the store says about somebody who comes from a provider.
type known struct {
	linked *identity.Identity
	found  *user.User
	held   bool
}

// account is the one that they would get into, or would be told to link.
func (k known) account() user.ID {
	switch {
	case k.linked != nil:
		return k.linked.Snapshot().UserID
	case k.found != nil:
		return k.found.ID()
	}
	return ""
}

// decide returns how the person of a profile signs in.
func (k known) decide(p upstream.Profile) (upstream.Way, error) {
	situation := upstream.Situation{Profile: p, Linked: k.linked != nil, Held: k.held}
	if k.found != nil {
		account := k.found.Snapshot()
		situation.Found = &account
	}
	return upstream.Decide(situation)
}

func look(ctx context.Context, tx Repos, from arrival) (known, error) {
	linked, err := tx.Identities.ByUpstream(ctx, from.upstream())
	if err == nil {
		return known{linked: linked}, nil
	}
	if !errors.Is(err, identity.ErrNotFound) || !from.Profile.Vouched() {
		return known{}, except(err, identity.ErrNotFound)
	}
	found, err := tx.Users.ByEmail(ctx, from.Profile.Email)
	if err != nil {
		return known{}, except(err, user.ErrNotFound)
	}
	held, err := of(ctx, tx, found.ID(), from.client.Provider)
	return known{found: found, held: held != nil}, err
}

// except passes an error on unless it only says that there is nothing.
func except(err error, nothing *fault.Error) error {
	if errors.Is(err, nothing) {
		return nil
	}
	return err
}

// of finds the identity of a provider that is linked to an account, or nil.
func of(ctx context.Context, tx Repos, owner user.ID, p upstream.Provider) (*identity.Identity, error) {
	all, err := tx.Identities.ByUser(ctx, owner)
	for _, one := range all {
		if one.Snapshot().Upstream.Provider == string(p) {
			return one, nil
		}
	}
	return nil, err
}

// entry is what a login came to: opened, or refused for a reason that is stored,
// and told in these words.
type entry struct {
	opened login.Opened
	reason string
	told   *fault.Error
}

// enter decides, and lets in: into the linked account, one that is joined, or one
// that is made. What is linked is stored only when the account lets them in
// (Arrivals), which may be when they have given a second factor.
func (s *Service) enter(ctx context.Context, tx Repos, from arrival, p login.Proof) (entry, error) {
	seen, err := look(ctx, tx, from)
	if err != nil {
		return entry{}, err
	}
	if seen.account() != p.UserID {
		return entry{}, errMoved
	}
	way, err := seen.decide(from.Profile)
	if err != nil {
		return entry{reason: outcome.Upstream, told: fault.From(err)}, s.Login.Refuse(ctx, tx, p.UserID, outcome.Upstream)
	}
	if way == upstream.Create {
		p.New = true
		if p.UserID, err = s.create(ctx, tx, from); err != nil {
			return entry{}, err
		}
	}
	did := entry{told: upstream.ErrRefused}
	did.opened, did.reason, err = s.Login.Enter(ctx, tx, p)
	if err == nil && did.reason != "" && p.New {
		err = upstream.ErrRefused // No account is made for who is not let in.
	}
	return did, err
}

// mayRegister judges who may make an account, and holds off others who come by the same
// invitation.
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

// create makes an account of what a provider vouches for. It fails with
// account.ErrClosed, and as mayRegister does. An address that is taken meanwhile is a lost race.
func (s *Service) create(ctx context.Context, tx Repos, from arrival) (user.ID, error) {
	if !from.client.AllowSignup {
		return "", account.ErrClosed
	}
	if err := s.mayRegister(ctx, tx, from); err != nil {
		return "", err
	}
	people := account.Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces}
	made, err := account.Create(ctx, people, s.Login.IDs, account.New{
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
