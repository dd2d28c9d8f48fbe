package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// hops is how many redirects a Reader follows.
const hops = 3

var errHops = errors.New("too many redirects")

// Reader opens documents at addresses that others than the operator chose, such as the invoices
// of a payment processor. What they lead on to is held to the same as they are.
type Reader struct{ sender *Sender }

// NewReader makes a reader.
func NewReader(o SenderOptions) *Reader {
	s := NewSender(o)
	s.http.CheckRedirect = func(to *http.Request, via []*http.Request) error {
		if len(via) > hops {
			return errHops
		}
		return s.Check(to.URL.String())
	}
	return &Reader{sender: s}
}

// Open makes a GET. The caller closes the body of the answer.
func (r *Reader) Open(ctx context.Context, address string) (*http.Response, error) {
	if err := r.sender.Check(address); err != nil {
		return nil, unfitError{err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	answer, err := r.sender.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("open a document: %w", err)
	}
	return answer, nil
}
