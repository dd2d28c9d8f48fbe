package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// keptBuffer is the largest buffer kept in the pool, in bytes.
const keptBuffer = 16 << 10

// buffers is a pool of byte slices. Buffers are cleared when returned, because bodies
// contain passwords and responses contain tokens. The zero value is ready to use.
type buffers struct{ pool sync.Pool }

func (b *buffers) borrow() *[]byte {
	if borrowed, ok := b.pool.Get().(*[]byte); ok {
		return borrowed
	}
	fresh := make([]byte, 0, 1024)
	return &fresh
}

func (b *buffers) giveBack(borrowed *[]byte) {
	if cap(*borrowed) > keptBuffer {
		return
	}
	clear(*borrowed)
	*borrowed = (*borrowed)[:0]
	b.pool.Put(borrowed)
}

// answers writes envelopes (specification section 2.1).
type answers struct {
	buffers buffers
	logger  *slog.Logger
	// resource is the address of the protected resource metadata (RFC 9728).
	resource string
}

// refuse responds with a failure and the status of its code. The command is the name as
// sent, or "" if there is none.
func (a *answers) refuse(w http.ResponseWriter, r *http.Request, command string, failure *fault.Error) {
	a.answer(w, r, inbound.Reply{Command: command, Failure: failure})
}

// answer responds with an envelope, and the status of the failure if there is one.
func (a *answers) answer(w http.ResponseWriter, r *http.Request, reply inbound.Reply) {
	code := http.StatusOK
	if reply.Failure != nil {
		code = inbound.StatusOf(reply.Failure)
	}
	a.send(w, r, code, reply)
}

// send responds with an envelope. For an internal error the client gets only the
// request ID, and a cause that has not been logged yet is logged.
func (a *answers) send(w http.ResponseWriter, r *http.Request, code int, reply inbound.Reply) {
	if reply.Failure != nil && !reply.Failure.Public() {
		id := requestID(w)
		a.log(r, id, reply)
		reply.Failure = fault.New(fault.Internal, "internal error, request id "+id)
	}
	header := w.Header()
	a.explain(header, r, reply)
	borrowed := a.buffers.borrow()
	defer a.buffers.giveBack(borrowed)
	*borrowed = appendEnvelope(*borrowed, reply)
	header["Content-Type"] = jsonType()
	header["Content-Length"] = []string{strconv.Itoa(len(*borrowed))}
	w.WriteHeader(code)
	// The client may have disconnected; there is nobody to report the error to.
	_, _ = w.Write(*borrowed)
}

func (a *answers) log(r *http.Request, id string, reply inbound.Reply) {
	ctx := r.Context()
	cause := reply.Failure.Unwrap()
	switch {
	case cause == nil:
	case ctx.Err() != nil:
		a.logger.DebugContext(ctx, "client left", "request_id", id, "command", reply.Command, "error", cause)
	default:
		a.logger.ErrorContext(ctx, "internal error", "request_id", id, "command", reply.Command, "error", cause)
	}
}

func jsonType() []string { return []string{"application/json"} }

// explain sets the headers that depend on the outcome.
func (a *answers) explain(header http.Header, r *http.Request, reply inbound.Reply) {
	if reply.Replayed {
		header["Idempotent-Replayed"] = []string{"true"}
	}
	if reply.Failure == nil {
		return
	}
	if reply.Failure.Code == fault.RateLimited {
		header["Retry-After"] = []string{seconds(reply.Failure.RetryAfter)}
	}
	if challenges := challengesOf(r.Header, reply.Failure); len(challenges) > 0 {
		header["Www-Authenticate"] = a.withResource(r, inbound.StatusOf(reply.Failure), challenges)
	}
}

// seconds returns whole seconds, rounded up and at least one (RFC 9110 section 10.2.3).
func seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}

// appendEnvelope appends the envelope of a reply, whose data is JSON already.
func appendEnvelope(to []byte, reply inbound.Reply) []byte {
	if reply.Failure == nil {
		to = append(to, `{"ok":true,"command":`...)
	} else {
		to = append(to, `{"ok":false,"command":`...)
	}
	to = appendText(to, reply.Command)
	to = append(to, `,"data":`...)
	if reply.Failure != nil {
		to = appendFailure(append(to, `null,"error":`...), reply.Failure)
		return append(to, '}')
	}
	if len(reply.Data) == 0 {
		to = append(to, `null`...)
	}
	to = append(to, reply.Data...)
	return append(to, `,"error":null}`...)
}

func appendFailure(to []byte, failure *fault.Error) []byte {
	to = appendText(append(to, `{"code":`...), string(failure.Code))
	to = appendText(append(to, `,"message":`...), failure.Message)
	if len(failure.Fields) > 0 {
		to = append(to, `,"fields":[`...)
		for i, field := range failure.Fields {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendText(append(to, `{"path":`...), field.Path)
			to = appendText(append(to, `,"message":`...), field.Message)
			to = append(to, '}')
		}
		to = append(to, ']')
	}
	if failure.Flow != nil {
		to = appendText(append(to, `,"flow":{"name":`...), failure.Flow.Name)
		to = appendText(append(to, `,"node":`...), failure.Flow.Node)
		to = appendText(append(to, `,"reason":`...), failure.Flow.Reason)
		to = append(to, '}')
	}
	return append(to, '}')
}

// appendText appends a JSON string. Invalid UTF-8 is replaced by U+FFFD.
func appendText(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, text)
	return to
}
