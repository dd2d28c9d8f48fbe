// Package backchannel tells clients of sessions that ended, by logout tokens (OpenID Connect
// Back-Channel Logout 1.0).
//
// # Decision: a queue of its own, filled by what ends a session
//
// Context: a client must be told whatever ended the session, also where the same unit of work
// deletes the account with all that it let clients have. What reads the feed of events afterwards
// would find nobody left to tell.
//
// Choice: the unit of work that stores the end of a session queues a row for each client of it,
// which needs neither the session nor the grant any more. The rows are worked off by the claim
// loop that mail and jobs have (package queue). The token is made anew for each attempt, since it
// lives for two minutes only, and by the address that the client has then.
//
// What would change our mind: clients that want more than logouts (Shared Signals), whose queue
// this would become.
package backchannel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/queue"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
)

const (
	// parallel is how many clients a replica tells at once.
	parallel = 16
	// storeTime bounds what is asked of the store at once.
	storeTime = 10 * time.Second
	// logoutTyp is the typ of logout tokens, which no other token has.
	logoutTyp = "logout+jwt"
)

// errInterrupted is why a logout is given up whose attempts came to no end.
var errInterrupted = errors.New("telling it was interrupted too often")

// Service tells clients of logouts.
type Service struct {
	Queue     delegation.Logouts
	Sender    delegation.LogoutSender
	Admission outbound.Admission
	Instance  *instance.Current
	Keys      *keys.Rack
	Clock     outbound.Clock
	IDs       outbound.IDs
	Random    outbound.Random
	Logger    *slog.Logger
	// Issuer is what clients know this service by.
	Issuer string
}

// Run works until the context ends and the attempts under way have ended.
func (s *Service) Run(ctx context.Context) {
	queue.Loop[delegation.ClaimedLogout]{
		Name: "logouts", Parallel: parallel, Claim: s.claim, CarryOut: s.attempt, Logger: s.Logger,
	}.Run(ctx)
}

// Pass carries out what is due now, one client after the other; it returns how many
// attempts there were.
func (s *Service) Pass(ctx context.Context) (int, error) {
	for n := 0; ; {
		claimed, err := s.claim(ctx, parallel)
		if err != nil || len(claimed) == 0 {
			return n, err
		}
		for _, one := range claimed {
			s.attempt(ctx, one)
			n++
		}
	}
}

func (s *Service) claim(ctx context.Context, most int) ([]delegation.ClaimedLogout, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	now := s.Clock.Now()
	return s.Queue.Claim(ctx, most, now, now.Add(oauth.LogoutLease))
}

// attempt tells a client, and stores how that went also while the service stops: an attempt that
// began is finished.
func (s *Service) attempt(ctx context.Context, l delegation.ClaimedLogout) {
	ctx = context.WithoutCancel(ctx)
	failure := s.tell(ctx, l)
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	var err error
	switch at := l.RetryAt(float64(s.Random.Bytes(1)[0])/255, s.Clock.Now()); {
	case failure == nil:
		err = s.Queue.Forget(ctx, l.Logout)
	case at.IsZero():
		s.Logger.WarnContext(ctx, "a client was not told of a logout", "app", l.AppID.String(), "session_id", l.SessionID.String(), "attempts", l.Attempts, "cause", failure)
		err = s.Queue.Forget(ctx, l.Logout)
	default:
		err = s.Queue.Retry(ctx, l.Logout, at)
	}
	if err != nil {
		// It is claimed again after its lease.
		s.Logger.WarnContext(ctx, "the outcome of a logout was not stored", "app", l.AppID.String(), "cause", err)
	}
}

// tell sends a logout token to a client that still wants one.
func (s *Service) tell(ctx context.Context, l delegation.ClaimedLogout) error {
	switch {
	case l.Client == nil || l.Client.BackchannelLogoutURI == "":
		return nil
	case l.Interrupted():
		return errInterrupted
	}
	token, err := s.token(ctx, *l.Client, l.Logout)
	if err != nil {
		return err
	}
	return s.Sender.SendLogout(ctx, l.Client.BackchannelLogoutURI, token)
}

// claims are the content of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
type claims struct {
	Issuer   string              `json:"iss"`
	Subject  string              `json:"sub"`
	Audience string              `json:"aud"`
	IssuedAt int64               `json:"iat"`
	Expiry   int64               `json:"exp"`
	ID       string              `json:"jti"`
	Events   map[string]struct{} `json:"events"`
	Session  string              `json:"sid"`
}

// token makes a logout token by the keys as they are at this moment: no request brings the
// configuration here up to date.
func (s *Service) token(ctx context.Context, to app.Snapshot, l oauth.Logout) (secret.String, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return secret.String{}, fmt.Errorf("read the revision of the keys: %w", err)
	}
	if _, err := s.Instance.At(ctx, answer.Revision); err != nil {
		return secret.String{}, err
	}
	key, err := s.Keys.Signing(ctx, to.SignedBy())
	if err != nil {
		return secret.String{}, err
	}
	now := s.Clock.Now()
	payload, err := strictjson.Encode(claims{
		Issuer: s.Issuer, Subject: l.Subject, Audience: to.Slug, IssuedAt: now.Unix(), Expiry: now.Add(oauth.LogoutLife).Unix(), ID: s.IDs.UUID(),
		Events: map[string]struct{}{oauth.LogoutEvent: {}}, Session: l.SessionID.String(),
	})
	if err != nil {
		return secret.String{}, fmt.Errorf("encode a logout token: %w", err)
	}
	text, err := key.Sign(logoutTyp, payload)
	if err != nil {
		return secret.String{}, fmt.Errorf("sign a logout token: %w", err)
	}
	return secret.New(text), nil
}
