// Package invitations sends and accepts invitations to workspaces, for all login methods
// (spec/workspaces.md section 2).
package invitations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos are the repositories to send and accept invitations.
type Repos struct {
	Invitations workspaces.Invitations
	Workspaces  workspaces.Workspaces
	Books       workspaces.Books
	Users       people.Users
	Apps        machines.Apps
	Challenges  signin.Challenges
	Mails       mailing.Mails
}

// Service sends invitations, and reads them for guests.
type Service struct {
	Unit         outbound.Unit[Repos]
	Directory    workspaces.InvitationDirectory
	Links        signin.Links
	Transactions outbound.Transactions
	// Limits counts the mails of each workspace and inviter, of the instance, and to each
	// address, over all replicas.
	Limits   outbound.Admission
	Instance *instance.Current
	Blinder  outbound.Blinder
	Clock    outbound.Clock
	IDs      outbound.IDs
}

// Look returns the invitation of a token, by its digest, without using it. It fails with
// invitation.ErrGone.
func (s *Service) Look(ctx context.Context, digest string) (invitation.Snapshot, error) {
	now := s.Clock.Now()
	waiting, err := s.Links.Find(ctx, digest, now, challenge.Invitation)
	if errors.Is(err, challenge.ErrGone) {
		return invitation.Snapshot{}, invitation.ErrGone
	}
	if err != nil {
		return invitation.Snapshot{}, err
	}
	behind, err := tokenOf(waiting)
	if err != nil {
		return invitation.Snapshot{}, err
	}
	found, err := s.Directory.Find(ctx, behind.ID)
	if err != nil {
		return invitation.Snapshot{}, gone(err)
	}
	return found, found.Holds(behind.Round, now)
}

// Check is like Look before an acceptance. An invitation that its sender may no longer
// offer is revoked, and the error is invitation.ErrWithdrawn.
func (s *Service) Check(ctx context.Context, digest string) (invitation.Snapshot, error) {
	found, err := s.Look(ctx, digest)
	if err != nil {
		return invitation.Snapshot{}, err
	}
	withdrawn := false
	err = s.Unit.Do(ctx, func(tx Repos) error {
		i, err := tx.Invitations.ByID(ctx, found.ID)
		if err != nil {
			return gone(err)
		}
		_, err = tx.stands(ctx, i.Snapshot(), s.Clock.Now())
		if withdrawn = errors.Is(err, invitation.ErrWithdrawn); !withdrawn {
			return err
		}
		if err := i.Revoke(invitation.ByDemotion, s.Clock.Now()); err != nil {
			return gone(err)
		}
		return tx.Invitations.Save(ctx, i)
	})
	if err == nil && withdrawn {
		err = invitation.ErrWithdrawn
	}
	return found, err
}

// RevokeWithdrawn revokes an invitation that was refused with invitation.ErrWithdrawn,
// and returns the refusal.
func (s *Service) RevokeWithdrawn(ctx context.Context, digest string, refusal error) error {
	if errors.Is(refusal, invitation.ErrWithdrawn) {
		_, refusal = s.Check(ctx, digest)
	}
	return refusal
}

// gone hides from the holder of a token why the invitation is invalid.
func gone(err error) error {
	if errors.Is(err, invitation.ErrNotFound) || errors.Is(err, invitation.ErrEnded) || errors.Is(err, challenge.ErrGone) {
		return invitation.ErrGone
	}
	return err
}

func tokenOf(waiting challenge.Challenge) (invitation.Token, error) {
	var behind invitation.Token
	if err := strictjson.Decode(waiting.Content, &behind); err != nil {
		return behind, fmt.Errorf("decode the token of an invitation: %w", err)
	}
	return behind, nil
}

// The limits of mails.
const (
	workspaceHourly = 100
	mailboxDaily    = 5
	day             = 24 * time.Hour
)
