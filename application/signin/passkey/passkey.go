// Package passkey implements the passkey ceremonies for the families: registration,
// login without a password, the second factor of a login, and sign-up (specification
// section 4.6, contract section 5).
//
// # Decision
//
// Context: a login that begins with an email address could offer the credentials of
// that account. Anybody who knows an address would learn that it has an account, and
// the number and make of its passkeys (Web Authentication section 14.6.3), and fake
// credentials for other addresses are recognizable as soon as somebody adds a passkey.
// Choice: no credentials are offered before something was proved. A passkey with user
// verification is discoverable if the authenticator has room, so the browser finds it
// by itself; a given address restricts which account is accepted. Security keys without
// user verification are not accepted without a password: they are offered as a second
// factor, after the first one. What would change our mind: authenticators in use that
// verify their person and cannot keep a discoverable credential.
package passkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// Life is how long a ceremony may take (contract section 5).
const Life = 5 * time.Minute

// maxAnswer is the maximum length of a browser's answer, in bytes. An attestation with its
// certificates has less than half of that.
const maxAnswer = 16 << 10

// Repos holds the repositories of one unit of work.
type Repos struct {
	login.Repos

	Passkeys signin.Passkeys
}

// Service runs ceremonies.
type Service struct {
	Unit       outbound.Unit[Repos]
	Directory  signin.PasskeyDirectory
	Ceremonies signin.Ceremonies
	Openings   signin.Openings
	Login      *login.Service
	Policies   account.Policies
	Instance   *instance.Current
	Inviting   *invitations.Service
	Clock      outbound.Clock
	IDs        outbound.IDs
}

// Ceremony is a ceremony that waits for the browser's answer.
type Ceremony struct {
	// Options are for the browser, in JSON.
	Options []byte
	// ID names the ceremony; it is no secret.
	ID string
}

// ceremonyState is the content of a ceremony's challenge.
type ceremonyState struct {
	// State is the state of a registration.
	State json.RawMessage `json:"state,omitzero"`
	// Presence reports whether user presence suffices because something else was proved.
	Presence bool `json:"presence,omitzero"`
	// Email is the address of the only account whose passkeys are accepted; zero for
	// any.
	Email email.Address `json:"email,omitzero"`
	// Factor is the digest of the login that the passkey is the second factor of.
	Factor string `json:"factor,omitzero"`
	// Newcomer is the person signing up.
	Newcomer newcomer `json:"newcomer,omitzero"`
}

// takes reports whether an answer meets the requirements of the login. If the login began
// without an account, the answer must name its user (Web Authentication section 7.2, step 6).
func (r ceremonyState) takes(given signin.PasskeyAssertion, use passkey.Use) bool {
	return (r.Presence || use.UserVerified) && (r.Factor != "" || given.Owner() != "")
}

// newcomer is an account that is yet to be created.
type newcomer struct {
	ID          user.ID          `json:"id"`
	Email       email.Address    `json:"email"`
	DisplayName user.DisplayName `json:"display_name"`
	// Invitation is the token of the invitation that they accept, if any.
	Invitation string `json:"invitation,omitzero"`
}

// newCeremony is a ceremony that is about to be stored.
type newCeremony struct {
	kind     challenge.Kind
	about    user.ID
	ceremony signin.Ceremony
	content  ceremonyState
}

// open stores a ceremony under the challenge that will be signed, so that the answer finds it.
func (s *Service) open(ctx context.Context, in signin.Openings, o newCeremony) (Ceremony, error) {
	o.content.State = o.ceremony.State
	content, err := strictjson.Encode(o.content)
	if err != nil {
		return Ceremony{}, fmt.Errorf("encode a ceremony: %w", err)
	}
	now, id := s.Clock.Now(), challenge.Digest(o.ceremony.Challenge)
	err = in.Open(ctx, challenge.Challenge{
		Digest: id, Kind: o.kind, UserID: o.about, Content: content, CreatedAt: now, ExpiresAt: now.Add(Life),
	})
	return Ceremony{Options: o.ceremony.Options, ID: id}, err
}

// take ends the ceremony of a signed challenge. It fails with challenge.ErrGone.
func (s *Service) take(ctx context.Context, tx Repos, kind challenge.Kind, signed string) (challenge.Challenge, ceremonyState, error) {
	var content ceremonyState
	found, err := tx.Challenges.Take(ctx, kind, challenge.Digest(signed), s.Clock.Now())
	if err != nil {
		return found, content, err
	}
	if err := strictjson.Decode(found.Content, &content); err != nil {
		return found, content, fmt.Errorf("decode a ceremony: %w", err)
	}
	return found, content, nil
}

// spent runs a change that takes a ceremony. If the change is refused, the transaction is
// committed all the same, so that the ceremony stays taken; the change must not have stored
// anything else before it is refused.
func (s *Service) spent(ctx context.Context, change func(tx Repos) error) error {
	var refused error
	err := s.Unit.Do(ctx, func(tx Repos) error {
		refused = change(tx)
		if failure, ok := errors.AsType[*fault.Error](refused); ok && failure.Code != fault.Internal {
			return nil
		}
		return refused
	})
	if err != nil {
		return err
	}
	return refused
}

// created parses the response of a registration; it fails with passkey.ErrMalformed.
func (s *Service) created(credential []byte) (signin.CreatedPasskey, error) {
	if len(credential) > maxAnswer {
		return nil, passkey.ErrMalformed
	}
	return s.Ceremonies.Created(credential)
}

// asserted parses the response of a login; it fails with passkey.ErrMalformed.
func (s *Service) asserted(credential []byte) (signin.PasskeyAssertion, error) {
	if len(credential) > maxAnswer {
		return nil, passkey.ErrMalformed
	}
	return s.Ceremonies.Asserted(credential)
}
