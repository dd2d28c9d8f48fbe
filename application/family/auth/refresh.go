package auth

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// rotationTries is how often a rotation that met another one begins anew. The
// second try finds the other's rotation done, so more are for bad luck.
const rotationTries = 5

// RefreshParams are the parameters of AUTH.REFRESH.
type RefreshParams struct {
	RefreshToken secret.String `json:"refresh_token" doc:"Refresh token from the latest token pair." jsonschema:"minLength=1,maxLength=4096"`
}

func (s *Service) refresh() command.Definition {
	return command.Define(command.Spec[RefreshParams, token.Pair]{
		Name:        "AUTH.REFRESH",
		Summary:     "Exchange a refresh token for a new token pair.",
		Description: "Each refresh token works once. Reusing a replaced token after the retry window ends the session.",
		Access:      access.Public(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Trigger:     flow.Refresh,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 6000), limit.PerMinute(limit.Token, 600)},
		Guarded:     true,
		Subject: func(_ context.Context, p RefreshParams) (command.Subject, error) {
			of, _, err := s.Refresh.Read(p.RefreshToken)
			return command.Subject{Counted: of.String(), Session: of}, err
		},
		Emits: []event.Kind{session.KindRefreshed, session.KindReuseDetected, session.KindRevoked, session.KindTeamSwitched},
		Handle: func(ctx context.Context, call command.Call, p RefreshParams) (token.Pair, error) {
			known := call.Session
			for range rotationTries {
				pair, err := s.rotate(ctx, call, p.RefreshToken, known)
				if !errors.Is(err, aggregate.ErrConflict) {
					return pair, err
				}
				known = nil
			}
			return token.Pair{}, aggregate.ErrConflict
		},
	})
}

// rotate makes one try, with the session as the admission read it, if it did. The
// refusal of a reused token is stored like a success.
func (s *Service) rotate(ctx context.Context, call command.Call, presented secret.String, known *outbound.Identity) (token.Pair, error) {
	of, digest, err := s.Refresh.Read(presented)
	if err != nil {
		return token.Pair{}, err
	}
	identity, err := s.identity(ctx, of, known)
	if err != nil {
		return token.Pair{}, err
	}
	held := session.Restore(identity.Session, identity.Version)
	now := s.Clock.Now()
	if identity.Failing(now).Any(liveness.SessionRotates) {
		return token.Pair{}, session.ErrRefresh
	}
	successor, next := s.Refresh.Successor(of, digest)
	refused := held.Rotate(digest, next, s.Instance.State().Settings.RefreshRetry(), now)
	rotated := held.Snapshot()
	store := func(decidedBy ...flow.Run) error {
		if !held.Changed() {
			return live.Keep(ctx, decidedBy)
		}
		return s.Rotations.Store(ctx, held, decidedBy...)
	}
	if refused != nil {
		if err := store(); err != nil {
			return token.Pair{}, err
		}
		if errors.Is(refused, session.ErrEnded) {
			return token.Pair{}, session.ErrRefresh
		}
		return token.Pair{}, refused
	}
	if err := call.Enter(ctx, rotated.OrgID); err != nil {
		return token.Pair{}, err
	}
	standing, err := s.Login.Books.Standing(ctx, identity.Held, now)
	if err != nil {
		return token.Pair{}, err
	}
	if err := s.Login.Readmit(ctx, call, identity); err != nil {
		return token.Pair{}, err
	}
	going, err := s.Login.Continue(ctx, call, identity, standing)
	if err != nil {
		return token.Pair{}, err
	}
	rotated.Claims = going.Claims
	return token.SignMeanwhile(func() error { return store(going.Runs...) }, func() (token.Pair, error) {
		access, expiresIn, err := s.Access.Issue(ctx, rotated, identity.User, standing)
		return token.NewPair(access, successor, expiresIn), err
	})
}

func (s *Service) identity(ctx context.Context, of session.ID, known *outbound.Identity) (outbound.Identity, error) {
	if known != nil && known.Session.ID == of {
		return *known, nil
	}
	identity, err := s.Rotations.Read(ctx, of)
	if errors.Is(err, session.ErrNotFound) {
		return identity, session.ErrRefresh
	}
	return identity, err
}
