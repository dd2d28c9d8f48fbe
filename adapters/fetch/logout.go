package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/delegation"
)

var _ delegation.LogoutSender = (*Sender)(nil)

// SendLogout posts a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.5). An answer
// of 200 says that it was taken; so does 204, which frameworks make of it.
func (s *Sender) SendLogout(ctx context.Context, address string, token secret.String) error {
	if err := s.Check(address); err != nil {
		return fmt.Errorf("the URL %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, oauth.LogoutTime)
	defer cancel()
	form := url.Values{"logout_token": {token.Reveal()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return errAddress
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", "Gatehouse-Logout/"+s.options.Version)
	answer, err := s.http.Do(request)
	if err != nil {
		return errors.New(explain(err))
	}
	defer func() { _ = answer.Body.Close() }()
	// What the client says beyond its status is of no use here.
	_, _ = io.CopyN(io.Discard, answer.Body, keptUpTo)
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the receiver responded with HTTP status %d", answer.StatusCode)
	}
	return nil
}
