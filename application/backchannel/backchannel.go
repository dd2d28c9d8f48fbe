// Package backchannel notifies clients of ended sessions by logout tokens (OpenID
// Connect Back-Channel Logout 1.0).
//
// # Decision: a separate queue, filled by the unit of work that ends a session
//
// Context: a client must be notified whatever ended the session, even if the same unit
// of work deletes the account with all its grants. A reader of the event feed would no
// longer find the clients.
//
// Choice: the unit of work that stores the end of a session queues a row for each
// client of it, which needs neither the session nor the grant afterwards. The rows are
// processed by the claim loop of mail and jobs (package queue). The token is created
// for each attempt, since it is valid for two minutes only, and sent to the client's
// current address.
//
// What would change our mind: clients that want more than logouts (Shared Signals),
// whose queue this would become.
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
	// parallel is the number of concurrent notifications of a replica.
	parallel = 16
	// storeTime is the time limit of an access to the store.
	storeTime = 10 * time.Second
	// logoutTyp is the typ of logout tokens, which no other token has.
	logoutTyp = "logout+jwt"
)

// errInterrupted is the reason for giving up a logout whose attempts did not complete.
var errInterrupted = errors.New("the notification was interrupted too often")

// Service notifies clients of logouts.
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
	// Issuer is the issuer identifier of this service.
	Issuer string
}

// Run works until the context ends and the attempts under way have ended.
func (s *Service) Run(ctx context.Context) {
	queue.Loop[delegation.ClaimedLogout]{
		Name: "logouts", Parallel: parallel, Claim: s.claim, CarryOut: s.attempt, Logger: s.Logger,
	}.Run(ctx)
}

// Pass processes the due logouts, one client after the other, and returns the number of
// attempts.
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

// attempt notifies a client and stores the result, even while the service stops.
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
		s.Logger.WarnContext(ctx, "failed to notify a client of a logout", "app", l.AppID.String(), "session_id", l.SessionID.String(), "attempts", l.Attempts, "cause", failure)
		err = s.Queue.Forget(ctx, l.Logout)
	default:
		err = s.Queue.Retry(ctx, l.Logout, at)
	}
	if err != nil {
		// It is claimed again after its lease.
		s.Logger.WarnContext(ctx, "failed to store the outcome of a logout notification", "app", l.AppID.String(), "cause", err)
	}
}

// tell sends a logout token to a client that still requests one.
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
	return secret.New(string(text)), nil
}
