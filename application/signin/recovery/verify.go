package recovery

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// ErrTaken is returned for an address that another account has taken meanwhile.
var ErrTaken = fault.Invalid("/token", "the email address now belongs to another account")

// Verification is a link that proves an address, with what proves ownership of the account.
type Verification struct {
	Token secret.String
	// Password is the password of the account, if one was sent.
	Password secret.String
	// Caller is the caller; anonymous if no credential was sent.
	Caller access.Caller
}

// Verified is an address that was proved.
type Verified struct {
	Email email.Address
	// Bound reports whether ownership of the account was proved as well.
	Bound bool
}

// Verify records that a link proved an address: the current one of the account, or the one
// that it is to be changed to. The address is bound if the link comes with a session of the
// account or its password (contract section 4). Verify fails with challenge.ErrGone,
// ErrTaken, or login.ErrWrongPassword, which is counted and does not use up the link.
func (s *Service) Verify(ctx context.Context, v Verification) (Verified, error) {
	var verified Verified
	if v.Password.Empty() {
		err := s.Unit.Do(ctx, func(tx Repos) (err error) {
			verified, err = s.verify(ctx, tx.Repos, v, user.Verified)
			return err
		})
		return verified, err
	}
	whose, err := s.behind(ctx, v.Token, challenge.EmailVerification, challenge.EmailChange)
	if err != nil {
		return Verified{}, err
	}
	rules, err := s.Policies.OfUser(ctx, whose.ID)
	if err != nil {
		return Verified{}, err
	}
	err = s.Login.ProvedOf(ctx, whose, v.Password, rules.Lockout, func(tx login.Repos, _ *credential.Credential) (err error) {
		verified, err = s.verify(ctx, tx, v, user.Bound)
		return err
	})
	return verified, err
}

func (s *Service) verify(ctx context.Context, tx login.Repos, v Verification, proof user.EmailProof) (Verified, error) {
	link, err := s.take(ctx, tx, v.Token, challenge.EmailVerification, challenge.EmailChange)
	if err != nil {
		return Verified{}, err
	}
	if login.Proves(v.Caller, link.user.ID()) {
		proof = user.Bound
	}
	if link.box.Was.IsZero() {
		link.user.VerifyEmail(proof, s.Clock.Now())
		err = tx.Users.Save(ctx, link.user)
	} else {
		err = s.move(ctx, tx, link, proof)
	}
	after := link.user.Snapshot()
	if err == nil {
		_, err = tx.Domains.Join(ctx, after, "", s.Clock.Now())
	}
	return Verified{Email: after.Email, Bound: after.EmailBound}, err
}

// move changes the address of an account to the one that was proved. Links and codes mailed
// to the previous address become invalid.
func (s *Service) move(ctx context.Context, tx login.Repos, link usedLink, proof user.EmailProof) error {
	held, err := tx.Credentials.ByUser(ctx, link.user.ID())
	if err != nil {
		return err
	}
	if held.Snapshot().SetAt.After(link.box.Asked) {
		return challenge.ErrGone
	}
	until := link.user.Snapshot()
	link.user.ChangeEmail(link.box.Email, proof, s.Clock.Now())
	err = tx.Users.Save(ctx, link.user)
	if errors.Is(err, user.ErrEmailTaken) {
		return ErrTaken
	}
	if err != nil {
		return err
	}
	if err := account.DropLinks(ctx, tx.Challenges, link.user.ID()); err != nil {
		return err
	}
	return account.TellMoved(ctx, tx.Mails, until)
}
