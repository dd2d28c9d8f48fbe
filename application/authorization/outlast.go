package authorization

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/domain/oauth"
)

// lastingRequest is the part of a request_uri that outlives the stored request, so that a page
// which was left open still leads to the client. It is sealed.
type lastingRequest struct {
	pendingRequest

	HeldAt time.Time `json:"held_at"`
}

const (
	lastingPlace = "authorization/request_uri"
	// longestLasting is the maximum size of a request that fits into an address, in bytes.
	longestLasting = 700
)

// errLate is what a client is told if its request cannot be continued.
var errLate = &oauth.Refusal{Code: oauth.TemporarilyUnavailable, Reason: "the user took too long to answer: start again"}

// refusing returns what remains of a request to send its client an error.
func (w pendingRequest) refusing(refusal *oauth.Refusal) pendingRequest {
	kept := w.WithoutExcess()
	return pendingRequest{digest: w.digest, Origin: w.Origin, OpenedAt: w.OpenedAt, Unread: refusal, Request: oauth.Request{
		ClientID: kept.ClientID, RedirectURI: kept.RedirectURI, State: kept.State, ResponseMode: kept.ResponseMode,
	}}
}

// outlast seals a request. A pushed one is used once, and a long one does not fit into an
// address: only the way back to the client outlasts them.
func (s *Service) outlast(w pendingRequest) (string, error) {
	now := s.Clock.Now()
	w.Session, w.Origin = "", ""
	plain, err := json.Marshal(lastingRequest{w, now})
	if err == nil && (w.Pushed || len(plain) > longestLasting) {
		plain, err = json.Marshal(lastingRequest{w.refusing(errLate), now})
	}
	if err != nil {
		return "", fmt.Errorf("write a request that outlasts its page: %w", err)
	}
	return s.Sealer.Seal(string(plain), lastingPlace), nil
}

// outlasted returns the request of a handle that is not stored any more. It fails with
// errWaiting if the request was answered, or never existed.
func (s *Service) outlasted(handle, clientID string) (pendingRequest, error) {
	_, sealed, _ := strings.Cut(handle, ".")
	plain, err := s.Sealer.Open(sealed, lastingPlace)
	if err != nil || plain == "" {
		return pendingRequest{}, errWaiting
	}
	var kept lastingRequest
	if err := json.Unmarshal([]byte(plain), &kept); err != nil {
		return pendingRequest{}, fmt.Errorf("read a request that outlasts its page: %w", err)
	}
	held := s.Clock.Now().Sub(kept.HeldAt)
	switch {
	case kept.ClientID != clientID, held < oauth.AnswerLife:
		return pendingRequest{}, errWaiting
	case held > oauth.PageLife:
		return kept.refusing(errLate), nil
	}
	return kept.pendingRequest, nil
}
