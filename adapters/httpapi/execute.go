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

// userAgentLimit is how much of the User-Agent header is handed on, in bytes.
const userAgentLimit = 512

// Refusals of headers that two readers could understand differently.
var (
	errTwoCredentials = fault.New(fault.TokenInvalid, "the Authorization header was sent more than once")
	errProofs         = fault.New(fault.Auth, "invalid_dpop_proof: the DPoP header must hold exactly one proof") // RFC 9449 section 4.3
)

// execution is POST /api/v1/execute.
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

// serve executes what parse finds in the body, and answers with an envelope.
func (e *execution) serve(w http.ResponseWriter, r *http.Request, parse func([]byte) (envelope, *fault.Error)) {
	if !isJSON(r.Header) {
		e.refuseType(w, r, "send the body as application/json in UTF-8, uncompressed")
		return
	}
	lent := e.answers.buffers.borrow()
	defer e.answers.buffers.giveBack(lent)
	body, err := readBody(r, *lent, e.maxBody)
	*lent = body
	if err != nil {
		e.refuseBody(w, r, err)
		return
	}
	call, refused := parse(body)
	request := inbound.Request{}
	if refused == nil {
		request, refused = e.request(w, r, call)
	}
	reply := e.execute(w, r, request, refused)
	reply.Command = call.command
	code := http.StatusOK
	if reply.Failure != nil {
		code = inbound.Status(reply.Failure.Code)
	}
	e.answers.send(w, r, code, reply)
}

// execute executes a call. One that is refused for what it is gets no further than where
// such calls are counted.
func (e *execution) execute(w http.ResponseWriter, r *http.Request, call inbound.Request, refused *fault.Error) inbound.Reply {
	if refused != nil {
		call = inbound.Request{IP: e.clients.client(r), UserAgent: userAgent(r), RequestID: requestID(w), Refused: refused}
	}
	return e.commands.Execute(r.Context(), call)
}

// request frees a call from its transport.
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
				"the Idempotency-Key header must be sent once, with 1 to 255 visible ASCII characters")
		}
		request.IdempotencyKey = keys[0]
	}
	return request, nil
}

// refuseType answers a body of a type that the path does not take.
func (e *execution) refuseType(w http.ResponseWriter, r *http.Request, wanted string) {
	e.answers.send(w, r, http.StatusUnsupportedMediaType, inbound.Reply{Failure: fault.New(fault.Validation, wanted)})
}

// refuseBody answers a body that was too large, found no room or broke off.
func (e *execution) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	status, failure := unread(w, err)
	e.answers.send(w, r, status, inbound.Reply{Failure: failure})
}

// unread returns the refusal of a body that was too large, found no room or broke off. The
// connection ends with it, for nobody wants to read the rest.
func unread(w http.ResponseWriter, err error) (status int, failure *fault.Error) {
	w.Header().Set("Connection", "close")
	if errors.Is(err, errCrowded) {
		failure = fault.New(fault.RateLimited, "too many large requests at once: wait as Retry-After says")
		failure.RetryAfter = longestStall
		w.Header()["Retry-After"] = []string{seconds(failure.RetryAfter)}
		return http.StatusServiceUnavailable, failure
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return http.StatusRequestEntityTooLarge, fault.New(fault.Validation, "the body is too large")
	}
	return http.StatusBadRequest, fault.New(fault.Validation, "the body could not be read to its end")
}

// readBody reads a body of at most limit bytes into a buffer, which grows as needed.
// It fails with *http.MaxBytesError for a longer one.
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

// grown moves a body into a buffer of twice the size, or of one byte more than the
// limit, which tells that it is too large.
func grown(into []byte, limit int64) []byte {
	larger := make([]byte, len(into), min(2*max(cap(into), 512), int(limit)+1))
	copy(larger, into)
	clear(into)
	return larger
}

// isJSON reports whether a request says once that it carries plain JSON.
func isJSON(header http.Header) bool { return isMedia(header, "application/json") }

// isMedia reports whether a request says once that its body is of a media type, in
// UTF-8 and not compressed.
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

// userAgent returns the header as text that any store takes.
func userAgent(r *http.Request) string {
	agent := r.UserAgent()
	if len(agent) > userAgentLimit {
		agent = agent[:userAgentLimit]
	}
	return strings.ToValidUTF8(agent, "")
}
