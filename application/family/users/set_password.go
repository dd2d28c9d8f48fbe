package users

import (
	"context"
	"slices"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

var errOnePassword = fault.Invalid("", "provide either password or hash, not both")

// SetPasswordParams are the parameters of USER.SET_PASSWORD.
type SetPasswordParams struct {
	UserID    user.ID       `json:"user_id" doc:"ID of the account."`
	Password  secret.String `json:"password,omitzero" doc:"New password. It must meet the password policies of all the account's workspaces. Provide either password or hash." jsonschema:"minLength=8,maxLength=256"`
	Temporary bool          `json:"temporary,omitzero" doc:"Whether the account's owner must change the password at the next sign-in. If false, an earlier such requirement is removed."`
	Hash      secret.String `json:"hash,omitzero" doc:"Password hash from another system: bcrypt, scrypt, PBKDF2, Argon2, SHA-crypt, phpass, salted MD5, or a format of WordPress, Drupal 7, Django, ASP.NET Core Identity, Firebase, Kratos, Better Auth or LDAP." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

// SetPasswordResult is the result of USER.SET_PASSWORD.
type SetPasswordResult struct {
	Set bool `json:"set" doc:"Always true."`

	account.Ended
}

const setPasswordDescription = "All sessions, API keys, OAuth grants, pending sign-ins and remembered devices of the account end. A lock on the account " +
	"is lifted."

func (s *Service) setPassword() command.Definition {
	return command.Define(command.Spec[SetPasswordParams, SetPasswordResult]{
		Name:        "USER.SET_PASSWORD",
		Summary:     "Set the password of an account, as text or as a hash from another system.",
		Description: setPasswordDescription,
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		EndsOwn:     func(caller access.Caller, p SetPasswordParams) bool { return p.UserID == caller.User },
		Emits:       append(account.EndedKinds(), credential.KindSet, user.KindRequiredActionsSet),
		Handle: func(ctx context.Context, call command.Call, p SetPasswordParams) (SetPasswordResult, error) {
			if p.Password.Empty() == p.Hash.Empty() {
				return SetPasswordResult{}, errOnePassword
			}
			hash, err := s.hashFor(ctx, p)
			if err != nil {
				return SetPasswordResult{}, err
			}
			var result SetPasswordResult
			err = s.Login.Unit.Do(ctx, func(tx login.Repos) error {
				result, err = s.replacePassword(ctx, tx, call.Caller, p, hash)
				return err
			})
			return result, err
		},
	})
}

// replacePassword stores the hash, and ends what the password before let in.
func (s *Service) replacePassword(ctx context.Context, tx login.Repos, caller access.Caller, p SetPasswordParams, hash string) (SetPasswordResult, error) {
	u, err := account.Entrusted(ctx, tx.Users, caller, p.UserID)
	if err != nil {
		return SetPasswordResult{}, err
	}
	if err := tx.Sessions.HoldOff(ctx, p.UserID, ""); err != nil {
		return SetPasswordResult{}, err
	}
	c, err := tx.Credentials.ByUser(ctx, p.UserID)
	if err != nil {
		return SetPasswordResult{}, err
	}
	now := s.Clock.Now()
	c.Set(hash, now)
	if err := tx.Credentials.Save(ctx, c); err != nil {
		return SetPasswordResult{}, err
	}
	s.requireChange(u, p.Temporary)
	ended, err := tx.End(ctx, u, account.EndOptions{Reason: session.ByPasswordChange}, now)
	return SetPasswordResult{Set: true, Ended: ended}, err
}

// requireChange has a temporary password changed at the next login. Another one
// that an administrator sets fulfills what was required of the last.
func (s *Service) requireChange(u *user.User, temporary bool) {
	if !temporary {
		u.Fulfill(user.ChangePassword, s.Clock.Now())
		return
	}
	required := u.Snapshot().RequiredActions
	if !slices.Contains(required, user.ChangePassword) {
		u.Require(append(slices.Clone(required), user.ChangePassword), s.Clock.Now())
	}
}

// hashFor returns the hash to store.
func (s *Service) hashFor(ctx context.Context, p SetPasswordParams) (string, error) {
	if !p.Hash.Empty() {
		stored, err := s.Passwords.Hasher.Import(p.Hash.Reveal())
		if err != nil {
			return "", fault.Invalid("/hash", fault.From(err).Message).Because(err)
		}
		return stored, nil
	}
	found, err := s.Directory.Find(ctx, people.UserKey{ID: p.UserID})
	if err != nil {
		return "", err
	}
	rules, err := s.Policies.OfUser(ctx, p.UserID)
	if err != nil {
		return "", err
	}
	owner := password.Owner{Email: found.Email.String(), Name: found.DisplayName}
	return s.Passwords.Accept(ctx, "/password", p.Password, owner, rules.Password)
}
