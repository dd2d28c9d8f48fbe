// Package ticket creates links for administrators to hand over, and reads the purpose
// of a link without using it.
package ticket

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/ticket"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos are the repositories to create a link.
type Repos struct {
	Users      people.Users
	Challenges signin.Challenges
	Factors    signin.SecondFactors
	Events     outbound.Events
}

// Service makes links and looks at them.
type Service struct {
	Unit      outbound.Unit[Repos]
	Links     signin.Links
	Directory people.UserDirectory
	Redirects redirect.Registered
	// Host is the public address of the service.
	Host   string
	Clock  outbound.Clock
	Random outbound.Random
}

// LinkParams are the parameters of a new link.
type LinkParams struct {
	UserID  user.ID
	Purpose ticket.Purpose
	Life    time.Duration
	// Back is the address that the link leads to; empty for a page of this service.
	Back redirect.URI
}

// Link is a new link.
type Link struct {
	URL       secret.Shown
	Token     secret.Shown
	ExpiresAt time.Time
}

// Create makes a link. It fails with user.ErrNotFound, account.ErrShielded or
// ticket.ErrFactorEnrolled.
func (s *Service) Create(ctx context.Context, caller access.Caller, w LinkParams) (Link, error) {
	if w.Back != "" {
		if err := s.Redirects.Check(ctx, "/redirect_uri", w.Back); err != nil {
			return Link{}, err
		}
	}
	handle, digest := challenge.NewHandle(s.Random)
	now := s.Clock.Now()
	until := now.Add(w.Life)
	err := s.Unit.Do(ctx, func(tx Repos) error {
		u, err := account.Entrusted(ctx, tx.Users, caller, w.UserID)
		if err != nil {
			return err
		}
		if err := enrollable(ctx, tx, w); err != nil {
			return err
		}
		content, err := account.Mailbox{Email: u.Snapshot().Email, Handed: true, BySuperadmin: caller.Superadmin}.Encode()
		if err != nil {
			return err
		}
		err = tx.Challenges.Open(ctx, challenge.Challenge{
			Digest: digest, Kind: w.Purpose.Kind(), UserID: u.ID(), Content: content, CreatedAt: now, ExpiresAt: until,
		})
		if err != nil {
			return err
		}
		return tx.Events.Record(ctx, ticket.Created{UserID: u.ID(), Purpose: w.Purpose, ExpiresAt: until})
	})
	if err != nil {
		return Link{}, err
	}
	link := mail.Link{Page: account.PageOf(w.Purpose.Kind()), RedirectURI: string(w.Back)}
	return Link{URL: secret.Shown(link.Address(s.Host, string(handle))), Token: handle, ExpiresAt: until}, nil
}

// enrollable fails if the account already has a second factor, which the link would bypass.
func enrollable(ctx context.Context, tx Repos, w LinkParams) error {
	if w.Purpose != ticket.MFAEnroll {
		return nil
	}
	held, err := tx.Factors.ByUser(ctx, w.UserID)
	if err != nil {
		return err
	}
	passkey, err := tx.Factors.HasPasskey(ctx, w.UserID)
	if err == nil && (passkey || held.Enrolled()) {
		return ticket.ErrFactorEnrolled
	}
	return err
}

// LinkInfo describes the purpose of a link.
type LinkInfo struct {
	Purpose   ticket.Purpose
	Valid     bool
	ExpiresAt time.Time
	EmailHint string
}

// Look returns the purpose of a link, without using it. It reveals nothing about an
// invalid link.
func (s *Service) Look(ctx context.Context, token secret.String) (LinkInfo, error) {
	found, err := s.Links.Find(ctx, challenge.Digest(token.Reveal()), s.Clock.Now(), ticket.Kinds()...)
	if errors.Is(err, challenge.ErrGone) {
		return LinkInfo{}, nil
	}
	if err != nil {
		return LinkInfo{}, err
	}
	box, err := account.MailboxOf(found)
	if err != nil {
		return LinkInfo{}, err
	}
	key := people.UserKey{ID: found.UserID}
	if box.Guest {
		key = people.UserKey{Email: box.Email}
	}
	whose, err := s.Directory.Find(ctx, key)
	missing := errors.Is(err, user.ErrNotFound)
	switch {
	case err != nil && !missing:
		return LinkInfo{}, err
	case missing != box.Guest, !missing && (!whose.Usable(s.Clock.Now()) || !box.Of(whose)):
		return LinkInfo{}, nil // A guest's account is yet to be made.
	}
	return LinkInfo{Purpose: ticket.Of(found.Kind), Valid: true, ExpiresAt: found.ExpiresAt, EmailHint: box.Email.Hint()}, nil
}
