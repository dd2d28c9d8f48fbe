package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// The bounds of what request bodies hold together, in bytes. They are 64 bodies of the
// largest size, and as much again for the beginnings of bodies, which nearly all calls
// consist of: bodies that are large or stall leave room for those that are small. A
// machine with 512 MB bears both several times over, as a body is held up to three
// times while it is read and decoded.
const (
	smallBody   = 16 << 10
	smallBodies = 64 << 20
	largeBodies = 64 << 20
)

const (
	// longestStall is how long a body may make no progress, longestBody how long all of
	// it may take.
	longestStall = 10 * time.Second
	longestBody  = 30 * time.Second
)

// errCrowded says that other bodies in flight leave no room for one.
var errCrowded = errors.New("the bodies in flight leave no room")

// inFlight counts the bytes of all bodies that were received for requests which are
// not answered yet.
type inFlight struct {
	// relieve returns memory to the system.
	relieve func()

	// small counts the first smallBody bytes of each body, large the rest.
	small, large atomic.Int64
	// peak is the most of large since memory was given back.
	peak atomic.Int64
	// relieving is set from when memory is to be given back until it is.
	relieving atomic.Bool
}

// relieved is the peak of large bodies after which memory is given back, relieveAfter
// how long after the last of them: the heap keeps several times the peak until it is
// collected, which may be minutes in a service that has little to do.
const (
	relieved     = 8 << 20
	relieveAfter = time.Second
)

// take draws bytes for a body, and reports whether there is room.
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

// giveBack returns what was drawn for a body.
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

// body is the body of a request. It is read no faster than there is room for it, and
// ends when the client stalls.
type body struct {
	io.ReadCloser

	flight  *inFlight
	request *http.Request
	conn    http.ResponseController
	began   time.Time
	// small and large are what was drawn from flight.
	small, large int64
}

// meter puts the body between a request and its handlers. The caller calls done once
// the request is answered.
func (b *body) meter(w http.ResponseWriter, r *http.Request, flight *inFlight) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b.ReadCloser, b.flight, b.request, b.conn, b.began = r.Body, flight, r, *http.NewResponseController(w), machineTime()
	r.Body = b
}

// done returns what the body drew, and the body that the server knows: the server
// looks at it to see whether it was read whole, and lets a client that is still sending
// read the answer before the connection is reset.
func (b *body) done() {
	if b.flight == nil {
		return
	}
	b.request.Body = b.ReadCloser
	if b.small > 0 {
		b.flight.giveBack(b.small, b.large)
	}
}

// Read fails with errCrowded where there is no room for what arrived.
func (b *body) Read(into []byte) (int, error) {
	until := machineTime().Add(longestStall)
	if last := b.began.Add(longestBody); last.Before(until) {
		until = last
	}
	// What is no connection, such as a recorder of tests, has no deadline.
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

// machineTime returns what deadlines of connections are set by. The clock of the instance
// may be shifted.
func machineTime() time.Time {
	return time.Now() //nolint:forbidigo // see above
}
