package authorization

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
)

// requestPrefix begins a request_uri of this service (RFC 9126 section 2.2).
const requestPrefix = "urn:ietf:params:oauth:request_uri:"

// Errors of request_uri, which go to the client if the address for them stands beside it (RFC 9101
// sections 5 and 7).
var (
	errTwice   = &oauth.Refusal{Code: oauth.InvalidRequest, Reason: "send either request or request_uri, not both"}
	errForeign = &oauth.Refusal{Code: oauth.RequestURINotSupported, Reason: "request_uri must be a value that this service returned (RFC 9126)"}
	errUnknown = &oauth.Refusal{Code: oauth.InvalidRequestURI, Reason: "the request was already answered, has expired or belongs to another client"}
)

// pendingRequest is a request that waits, with the session that is to answer it, if one is.
type pendingRequest struct {
	oauth.Request

	Session session.ID `json:"session,omitzero"`
	// OpenedAt is when a browser first opened it; zero for one that was only pushed.
	OpenedAt time.Time `json:"opened_at,omitzero"`
	// Origin is the digest of the request that was pushed, which is used up with this one.
	Origin string `json:"origin,omitzero"`
	// Unread is the refusal of its request object.
	Unread *oauth.Refusal `json:"unread,omitzero"`

	digest string
}

// comes returns the request of a browser, which is in its parameters, in an object or was pushed.
func (s *Service) comes(ctx context.Context, sent oauth.Request, requestURI string) (pendingRequest, error) {
	w := pendingRequest{Request: sent}
	switch {
	case requestURI == "":
		return w, s.unwrap(ctx, &w)
	case sent.Object != "":
		w.Unread = errTwice
	case !strings.HasPrefix(requestURI, requestPrefix):
		w.Unread = errForeign
	default:
		found, err := s.waitingFor(ctx, sent.ClientID, requestURI)
		if !errors.Is(err, errWaiting) || sent.RedirectURI == "" {
			return found, err
		}
		w.Unread = errUnknown
	}
	if sent.RedirectURI == "" {
		return pendingRequest{}, fault.New(fault.Validation, w.Unread.Error())
	}
	return w, nil
}

// waitingFor reads a request that waits. One that was only pushed must be opened soon.
func (s *Service) waitingFor(ctx context.Context, clientID, requestURI string) (pendingRequest, error) {
	handle := strings.TrimPrefix(requestURI, requestPrefix)
	now := s.Clock.Now()
	found, err := s.Links.Find(ctx, challenge.Digest(handle), now, challenge.Authorization)
	if errors.Is(err, challenge.ErrGone) {
		return s.outlasted(handle, clientID)
	}
	if err != nil {
		return pendingRequest{}, err
	}
	w, err := read(found)
	if err != nil {
		return pendingRequest{}, err
	}
	if w.ClientID != clientID || w.OpenedAt.IsZero() && now.Sub(found.CreatedAt) > oauth.PushedLife {
		return pendingRequest{}, errWaiting
	}
	return w, nil
}

func read(found challenge.Challenge) (pendingRequest, error) {
	var w pendingRequest
	if err := json.Unmarshal(found.Content, &w); err != nil {
		return pendingRequest{}, fmt.Errorf("read a pending request: %w", err)
	}
	w.digest = found.Digest
	return w, nil
}

// keep stores a pending request, and returns its request_uri, which ends with what outlasts it.
func (s *Service) keep(ctx context.Context, w pendingRequest, lasting string) (string, error) {
	content, err := json.Marshal(w)
	if err != nil {
		return "", fmt.Errorf("write a pending request: %w", err)
	}
	random, _ := challenge.NewHandle(s.Random)
	handle, now := string(random)+lasting, s.Clock.Now()
	err = s.Openings.Open(ctx, challenge.Challenge{
		Digest: challenge.Digest(handle), Kind: challenge.Authorization, Content: content, CreatedAt: now, ExpiresAt: now.Add(oauth.AnswerLife),
	})
	return requestPrefix + handle, err
}

// hold stores a request pending a login, or the decision of a session.
func (s *Service) hold(ctx context.Context, a *ValidatedRequest, answers session.ID) (string, error) {
	w := a.pendingRequest
	if w.OpenedAt.IsZero() {
		w.OpenedAt = s.Clock.Now()
	}
	if w.Origin == "" {
		w.Origin = w.digest
	}
	w.Session = answers
	sealed, err := s.outlast(w)
	if err != nil {
		return "", err
	}
	return s.keep(ctx, w, "."+sealed)
}
