package passwordless

import (
	"context"
	"crypto/subtle"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/guess"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// ByCode logs somebody in by the code that was mailed for a challenge. It fails with
// ErrWrongCode, which is counted, challenge.ErrGone, ErrNoCodes or RATE_LIMITED.
func (s *Service) ByCode(ctx context.Context, call command.Call, handle, code secret.String, to workspace.ID) (login.Outcome, error) {
	if !s.codes() {
		return login.Outcome{}, ErrNoCodes
	}
	digest := challenge.Digest(handle.Reveal())
	var whose user.ID
	var wrong login.Opened
	err := s.Unit.Do(ctx, func(tx Repos) error {
		var right bool
		var err error
		if whose, right, err = s.judge(ctx, tx, digest, code); err != nil || right {
			wrong = login.Opened{}
			return err
		}
		wrong, err = s.Login.Enter(ctx, tx.Repos, login.Proof{
			Wanted: login.Wanted{Call: call, Refused: ErrWrongCode}, UserID: whose, Failed: loginevent.WrongCode,
		})
		return err
	})
	if err != nil {
		return login.Outcome{}, err
	}
	if wrong.Refusal != nil {
		return login.Outcome{}, wrong.Refusal
	}
	return s.enter(ctx, call, answered{kind: challenge.LoginCode, digest: digest, user: whose, org: to})
}

// judge returns whose account a code is tried for, and whether it is right. A wrong one
// counts against its challenge and its address.
func (s *Service) judge(ctx context.Context, tx Repos, digest string, code secret.String) (user.ID, bool, error) {
	now := s.Clock.Now()
	waiting, err := tx.Challenges.Look(ctx, challenge.LoginCode, digest, now)
	if err != nil {
		return "", false, err
	}
	box, err := account.MailboxOf(waiting)
	if err != nil {
		return "", false, err
	}
	guesses, err := s.guesses(ctx, tx, box.Email)
	if err != nil {
		return "", false, err
	}
	whose, known, err := claimant(ctx, tx, waiting, box)
	if err != nil || (s.answers(waiting, code) && known) {
		return whose, err == nil, err
	}
	guesses.Miss(guess.LoginCodes(), now)
	if err := tx.Guesses.Save(ctx, guesses); err != nil {
		return "", false, err
	}
	return whose, false, tx.Challenges.Miss(ctx, digest)
}

// claimant returns the account that a code is tried for, "" for a guest, and whether there
// is an account or a guest at all.
func claimant(ctx context.Context, tx Repos, waiting challenge.Challenge, box account.Mailbox) (user.ID, bool, error) {
	u, err := owner(ctx, tx, waiting, box)
	switch {
	case errors.Is(err, challenge.ErrGone):
		return "", false, nil
	case err != nil || u == nil:
		return "", err == nil, err
	}
	return u.ID(), true, nil
}

// answers reports whether a code is the one that was mailed. It takes as long if none was.
func (s *Service) answers(waiting challenge.Challenge, code secret.String) bool {
	given := s.Blinder.Index(label.ChallengeCode+waiting.Digest, code.Reveal())
	same := subtle.ConstantTimeCompare([]byte(given), []byte(waiting.Code)) == 1
	return same && s.Clock.Now().Before(waiting.CodeExpiresAt)
}

// ByLink logs somebody in by a link. It fails with challenge.ErrGone.
func (s *Service) ByLink(ctx context.Context, call command.Call, token secret.String, to workspace.ID) (login.Outcome, error) {
	digest := challenge.Digest(token.Reveal())
	waiting, err := s.Links.Find(ctx, digest, s.Clock.Now(), challenge.LoginLink, challenge.FactorEnrollment)
	if err != nil {
		return login.Outcome{}, err
	}
	return s.enter(ctx, call, answered{kind: waiting.Kind, digest: digest, user: waiting.UserID, org: to})
}

// answered is a challenge that was answered, with its account.
type answered struct {
	kind   challenge.Kind
	digest string
	user   user.ID
	// org is the workspace to enter, if one is named.
	org workspace.ID
	// verifier is that of PKCE, for a sign-in that a session has allowed.
	verifier secret.String
}

// enter uses the challenge and lets the person in.
func (s *Service) enter(ctx context.Context, call command.Call, a answered) (login.Outcome, error) {
	policies, err := s.policies(ctx, a.user)
	if err != nil {
		return login.Outcome{}, err
	}
	var opened login.Opened
	var invited string
	err = s.Unit.Do(ctx, func(tx Repos) error {
		used, err := tx.Challenges.Take(ctx, a.kind, a.digest, s.Clock.Now())
		if err != nil {
			return err
		}
		if err := s.forget(ctx, tx, used); err != nil {
			return err
		}
		proof := login.Proof{
			Wanted: login.Wanted{Call: call, Policies: policies, Org: a.org, Refused: challenge.ErrGone},
			UserID: a.user, AMR: []string{login.ByCode},
		}
		if a.kind == challenge.FactorEnrollment {
			proof.Must = []user.Action{user.EnrollMFA}
		}
		err = s.proved(ctx, tx, used, a, &proof)
		invited = proof.Invitation
		if err != nil {
			return err
		}
		opened, err = s.Login.Enter(ctx, tx.Repos, proof)
		if err == nil && opened.Challenge != "" && len(proof.Must) > 0 {
			return challenge.ErrGone // The account already has a second factor, so the link enrolls none.
		}
		return err
	})
	if err != nil {
		return login.Outcome{}, s.Inviting.RevokeWithdrawn(ctx, invited, err)
	}
	return s.Login.Answer(ctx, opened)
}

// forget resets the count of wrong codes after a right one. It fails if a pause has begun
// meanwhile.
func (s *Service) forget(ctx context.Context, tx Repos, used challenge.Challenge) error {
	if used.Kind != challenge.LoginCode {
		return nil
	}
	box, err := account.MailboxOf(used)
	if err != nil {
		return err
	}
	guesses, err := s.guesses(ctx, tx, box.Email)
	if err != nil || !guesses.Counting() {
		return err
	}
	guesses.Forget()
	return tx.Guesses.Save(ctx, guesses)
}

// policies returns the policies of an account, or those of the instance for a guest.
func (s *Service) policies(ctx context.Context, of user.ID) (policy.Set, error) {
	if of == "" {
		return s.Login.Instance.State().Policies, nil
	}
	return s.Policies.OfUser(ctx, of)
}

// proved completes the proof of a challenge that was used.
func (s *Service) proved(ctx context.Context, tx Repos, used challenge.Challenge, a answered, p *login.Proof) error {
	if a.kind == challenge.Terminal {
		return s.vouched(ctx, tx, used, a.verifier, p)
	}
	return s.prove(ctx, tx, used, p)
}

// prove checks the challenge that was used against the current account, or creates the
// account of a guest. A mailed challenge proves the address; if nobody had proved it before,
// the account is claimed. A code is invalid if the password was changed after it was
// requested.
func (s *Service) prove(ctx context.Context, tx Repos, used challenge.Challenge, p *login.Proof) error {
	box, err := account.MailboxOf(used)
	if err != nil {
		return err
	}
	p.Invitation = box.Invitation
	u, err := owner(ctx, tx, used, box)
	if err == nil && u == nil {
		p.New = true
		p.UserID, err = s.welcome(ctx, tx, box)
		return err
	}
	if err != nil {
		return err
	}
	held, err := tx.Credentials.ByUser(ctx, u.ID())
	if err != nil {
		return err
	}
	if u.ID() != p.UserID || held.Snapshot().SetAt.After(used.CreatedAt) {
		return challenge.ErrGone
	}
	if box.Handed || u.Snapshot().EmailVerified || !u.Snapshot().Usable(s.Clock.Now()) {
		return nil
	}
	_, err = tx.Claiming().Claim(ctx, u, "", s.Clock.Now())
	return err
}
