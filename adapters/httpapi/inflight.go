package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
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

const (
	// longestStall is how long a body may make no progress, and longestBody how long it
	// may take in total.
	longestStall = 10 * time.Second
	longestBody  = 30 * time.Second
)

// errCrowded is returned if the limit on the memory of request bodies is reached.
var errCrowded = errors.New("the bodies in flight leave no room")

// inFlight counts the bytes of the bodies of pending requests.
type inFlight struct {
	// relieve returns memory to the operating system.
	relieve func()

	// small counts the first smallBody bytes of each body, and large the rest.
	small, large atomic.Int64
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

// take reserves bytes for a body, and reports whether there is room.
func (f *inFlight) take(small, large int64) bool {
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
func (f *inFlight) giveBack(small, large int64) {
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
	request *http.Request
	conn    http.ResponseController
	began   time.Time
	// small and large are the bytes reserved in flight.
	small, large int64
}

// meter replaces the body of a request. The caller must call done after the response.
func (b *body) meter(w http.ResponseWriter, r *http.Request, flight *inFlight) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b.ReadCloser, b.flight, b.request, b.conn, b.began = r.Body, flight, r, *http.NewResponseController(w), machineTime()
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
		b.flight.giveBack(b.small, b.large)
	}
}

// Read fails with errCrowded if there is no memory left for the data.
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
	if n > 0 && !b.flight.take(small, large) {
		return 0, errCrowded
	}
	b.small, b.large = b.small+small, b.large+large
	return n, err
}

// machineTime returns the time for connection deadlines. The clock of the instance may
// be shifted.
func machineTime() time.Time {
	return time.Now() //nolint:forbidigo // see above
}
