package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse.internal/domain/limit"
)

// Limits on the memory of request bodies, in bytes: 64 bodies of the maximum size, and
// the same again for the first bytes of bodies, which is all that most calls have, so
// that large or stalled bodies do not block small ones. This fits a machine with 512
// MB, as a body is held up to three times while it is read and decoded.
const (
	smallBody   = 16 << 10
	smallBodies = 64 << 20
	largeBodies = 64 << 20
)

// Limits on the memory for the bodies of one address, so that nobody fills all of it alone.
const (
	smallShare = smallBodies / 8
	largeShare = largeBodies / 4
)

const (
	// longestStall is how long a body may make no progress, and longestBody how long it
	// may take in total.
	longestStall = 10 * time.Second
	longestBody  = 30 * time.Second
)

// Errors of bodies for which no memory is left: errCrowded if the bodies of all clients
// fill it, errShare if those of one address fill its share.
var (
	errCrowded = errors.New("memory for request bodies is exhausted")
	errShare   = errors.New("memory for request bodies of this address is exhausted")
)

// inFlight counts the bytes of the bodies of pending requests.
type inFlight struct {
	// relieve returns memory to the operating system.
	relieve func()

	// small counts the first smallBody bytes of each body, and large the rest.
	small, large atomic.Int64

	mu sync.Mutex
	// shares are the bytes of the addresses that have bodies in flight.
	shares map[string]share

	// peak is the maximum of large since memory was last returned.
	peak atomic.Int64
	// relieving is set while memory is scheduled to be returned.
	relieving atomic.Bool
}

// relieved is the peak of large bodies after which memory is returned, and relieveAfter
// the delay after the last of them. The heap otherwise holds several times the peak
// until the next collection, which may be minutes away in an idle service.
const (
	relieved     = 8 << 20
	relieveAfter = time.Second
)

// share is the bytes of the bodies of one address.
type share struct{ small, large int64 }

// grow adds bytes to the share of an address, and reports whether they fit.
func (f *inFlight) grow(of string, small, large int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	grown := f.shares[of]
	grown.small, grown.large = grown.small+small, grown.large+large
	switch {
	case small > 0 && grown.small > smallShare, large > 0 && grown.large > largeShare:
		return false
	case grown == share{}:
		delete(f.shares, of)
		return true
	case f.shares == nil:
		f.shares = map[string]share{}
	}
	f.shares[of] = grown
	return true
}

// take reserves bytes for a body of an address. It fails with errShare or errCrowded.
func (f *inFlight) take(of string, small, large int64) error {
	if !f.grow(of, small, large) {
		return errShare
	}
	if !f.reserve(small, large) {
		f.grow(of, -small, -large)
		return errCrowded
	}
	return nil
}

// reserve reserves bytes, and reports whether there is room.
func (f *inFlight) reserve(small, large int64) bool {
	if f.small.Add(small) > smallBodies {
		f.small.Add(-small)
		return false
	}
	if large == 0 {
		return true
	}
	held := f.large.Add(large)
	if held > largeBodies {
		f.large.Add(-large)
		f.small.Add(-small)
		return false
	}
	for peak := f.peak.Load(); held > peak && !f.peak.CompareAndSwap(peak, held); {
		peak = f.peak.Load()
	}
	return true
}

// giveBack releases the bytes of a body.
func (f *inFlight) giveBack(of string, small, large int64) {
	f.grow(of, -small, -large)
	f.small.Add(-small)
	if large == 0 || f.large.Add(-large) > 0 || f.peak.Load() < relieved || !f.relieving.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(relieveAfter, func() {
		f.peak.Store(0)
		f.relieving.Store(false)
		f.relieve()
	})
}

// body is a request body that is limited by the available memory, and fails if the
// client stalls.
type body struct {
	io.ReadCloser

	flight  *inFlight
	clients addresses
	request *http.Request
	conn    http.ResponseController
	began   time.Time
	// small and large are the bytes reserved in flight, for an address.
	small, large int64
	address      string
}

// meter replaces the body of a request. The caller must call done after the response.
func (b *body) meter(w http.ResponseWriter, r *http.Request, f *front) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b.ReadCloser, b.flight, b.clients, b.request, b.began = r.Body, &f.flight, f.clients, r, machineTime()
	b.conn = *http.NewResponseController(w)
	r.Body = b
}

// done releases the bytes and restores the original body: the server checks whether it
// was read completely, and lets a client that is still sending read the response before
// the connection is reset.
func (b *body) done() {
	if b.flight == nil {
		return
	}
	b.request.Body = b.ReadCloser
	if b.small > 0 {
		b.flight.giveBack(b.address, b.small, b.large)
	}
}

// Read fails with errCrowded or errShare if there is no memory left for the data.
func (b *body) Read(into []byte) (int, error) {
	until := machineTime().Add(longestStall)
	if last := b.began.Add(longestBody); last.Before(until) {
		until = last
	}
	// Recorders of tests have no connection and hence no deadline.
	_ = b.conn.SetReadDeadline(until)
	n, err := b.ReadCloser.Read(into)
	small := min(int64(n), smallBody-b.small)
	large := int64(n) - small
	if n > 0 {
		if b.address == "" {
			b.address = limit.Subject(b.clients.client(b.request))
		}
		if full := b.flight.take(b.address, small, large); full != nil {
			return 0, full
		}
	}
	b.small, b.large = b.small+small, b.large+large
	return n, err
}

// machineTime returns the time for connection deadlines. The clock of the instance may
// be shifted.
func machineTime() time.Time {
	return time.Now() //nolint:forbidigo // see above
}
