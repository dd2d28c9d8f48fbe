package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// userAgentLimit is the maximum length of a recorded User-Agent, in bytes.
const userAgentLimit = 512

// Errors of ambiguous headers.
var (
	errTwoCredentials = fault.New(fault.TokenInvalid, "duplicate Authorization header: send one")
	errProofs         = fault.New(fault.Auth, "invalid_dpop_proof: send exactly one DPoP header with one proof") // RFC 9449 section 4.3
	errDryRun         = fault.New(fault.Validation, "invalid Dry-Run header: send true, or omit the header")
)

// execution serves POST /api/v1/execute.
type execution struct {
	commands inbound.Commands
	answers  *answers
	clients  addresses
	maxBody  int64
	parser   parser
}

func (e *execution) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.serve(w, r, e.parser.parse)
}

// serve executes the call that parse returns, and responds with an envelope.
func (e *execution) serve(w http.ResponseWriter, r *http.Request, parse func([]byte) (envelope, *fault.Error)) {
	if !isJSON(r.Header) {
		e.refuseType(w, r, "unsupported body: send application/json in UTF-8, uncompressed")
		return
	}
	e.read(w, r, parse)
}

// read is serve for a body whose media type was checked.
func (e *execution) read(w http.ResponseWriter, r *http.Request, parse func([]byte) (envelope, *fault.Error)) {
	borrowed := e.answers.buffers.borrow()
	defer e.answers.buffers.giveBack(borrowed)
	body, err := readBody(r, *borrowed, e.maxBody)
	*borrowed = body
	if err != nil {
		e.refuseBody(w, r, err)
		return
	}
	call, refused := parse(body)
	if refused == nil {
		refused = call.header(r.Header)
	}
	request := inbound.Request{}
	if refused == nil {
		request, refused = e.request(w, r, call)
	}
	reply := e.execute(w, r, request, refused)
	reply.Command = call.command
	e.answers.answer(w, r, reply)
}

// execute executes a call. A refused one is passed on only to be counted by rate
// limits.
func (e *execution) execute(w http.ResponseWriter, r *http.Request, call inbound.Request, refused *fault.Error) inbound.Reply {
	if refused != nil {
		call = inbound.Request{IP: e.clients.client(r), UserAgent: userAgent(r), RequestID: requestID(w), Refused: refused}
	}
	return e.commands.Execute(r.Context(), call)
}

// request converts an HTTP request to a call.
func (e *execution) request(w http.ResponseWriter, r *http.Request, call envelope) (inbound.Request, *fault.Error) {
	authorization := r.Header["Authorization"]
	if len(authorization) > 1 {
		return inbound.Request{}, errTwoCredentials
	}
	request := inbound.Request{
		Command: call.command, Params: call.params, DryRun: call.dryRun,
		Method: r.Method, Path: r.URL.EscapedPath(),
		IP: e.clients.client(r), UserAgent: userAgent(r), RequestID: requestID(w),
	}
	if len(authorization) == 1 {
		request.Authorization = authorization[0]
	}
	if proofs, sent := r.Header["Dpop"]; sent {
		if len(proofs) != 1 || proofs[0] == "" {
			return inbound.Request{}, errProofs
		}
		request.DPoP = proofs[0]
	}
	if keys, sent := r.Header["Idempotency-Key"]; sent {
		if len(keys) != 1 || !isKey(keys[0]) {
			return inbound.Request{}, fault.New(fault.Validation,
				"invalid Idempotency-Key header: send one, with 1 to 255 visible ASCII characters")
		}
		request.IdempotencyKey = keys[0]
	}
	return request, nil
}

// refuseType responds to an unsupported media type.
func (e *execution) refuseType(w http.ResponseWriter, r *http.Request, wanted string) {
	e.answers.send(w, r, http.StatusUnsupportedMediaType, inbound.Reply{Failure: fault.New(fault.Validation, wanted)})
}

// refuseBody responds to a body that is too large or incomplete, or that exceeds the
// memory for bodies.
func (e *execution) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	status, failure := unread(w, err)
	e.answers.send(w, r, status, inbound.Reply{Failure: failure})
}

// unread returns the error of a body that is too large or incomplete, or that exceeds
// the memory for bodies. The connection is closed, because the rest of the body is not
// read.
func unread(w http.ResponseWriter, err error) (status int, failure *fault.Error) {
	w.Header().Set("Connection", "close")
	switch {
	case errors.Is(err, errShare):
		failure = fault.New(fault.RateLimited, "too many concurrent requests from your IP address: wait until the time in Retry-After has passed")
		failure.RetryAfter = longestStall
	case errors.Is(err, errCrowded):
		failure = fault.Unavailable("too many large concurrent requests: wait until the time in Retry-After has passed", longestStall)
	}
	if failure != nil {
		w.Header()["Retry-After"] = []string{seconds(failure.RetryAfter)}
		return inbound.StatusOf(failure), failure
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return http.StatusRequestEntityTooLarge, fault.New(fault.Validation, "the request body is too large")
	}
	return http.StatusBadRequest, fault.New(fault.Validation, "the request body is incomplete")
}

// readBody reads a body into a buffer, which grows as needed. It fails with
// *http.MaxBytesError if the body is longer than limit bytes.
func readBody(r *http.Request, into []byte, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return into, &http.MaxBytesError{Limit: limit}
	}
	for {
		if len(into) == cap(into) {
			into = grown(into, limit)
		}
		n, err := r.Body.Read(into[len(into):cap(into)])
		into = into[:len(into)+n]
		switch {
		case int64(len(into)) > limit:
			return into, &http.MaxBytesError{Limit: limit}
		case errors.Is(err, io.EOF):
			return into, nil
		case err != nil:
			return into, err
		}
	}
}

// grown returns the body in a buffer of twice the size, or of one byte more than the
// limit, which is enough to detect a body that is too large.
func grown(into []byte, limit int64) []byte {
	larger := make([]byte, len(into), min(2*max(cap(into), 512), int(limit)+1))
	copy(larger, into)
	clear(into)
	return larger
}

// header applies the header Dry-Run, which means the same as dry_run in the body.
func (e *envelope) header(sent http.Header) *fault.Error {
	asked, given := sent["Dry-Run"]
	if given && (len(asked) != 1 || asked[0] != "true") {
		return errDryRun
	}
	e.dryRun = e.dryRun || given
	return nil
}

// isJSON reports whether the body is JSON in UTF-8, uncompressed.
func isJSON(header http.Header) bool { return isMedia(header, "application/json") }

// isMedia reports whether there is exactly one Content-Type with a media type, in
// UTF-8, and no Content-Encoding.
func isMedia(header http.Header, wanted string) bool {
	types := header["Content-Type"]
	if len(types) != 1 || len(header["Content-Encoding"]) > 0 {
		return false
	}
	if types[0] == wanted {
		return true
	}
	media, options, err := mime.ParseMediaType(types[0])
	if err != nil || media != wanted {
		return false
	}
	charset, given := options["charset"]
	return len(options) == 0 || len(options) == 1 && given && strings.EqualFold(charset, "utf-8")
}

// isKey reports whether an Idempotency-Key is 1 to 255 visible ASCII characters.
func isKey(key string) bool {
	const longest = 255
	if key == "" || len(key) > longest {
		return false
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return true
}

// userAgent returns the header as valid UTF-8 of limited length.
func userAgent(r *http.Request) string {
	agent := r.UserAgent()
	if len(agent) > userAgentLimit {
		agent = agent[:userAgentLimit]
	}
	return strings.ToValidUTF8(agent, "")
}
