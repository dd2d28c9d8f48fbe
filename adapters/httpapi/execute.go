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

// errTwoCredentials refuses what two readers could understand differently.
var errTwoCredentials = fault.New(fault.TokenInvalid, "the Authorization header was sent more than once")

// execution is POST /api/v1/execute.
type execution struct {
	commands inbound.Commands
	answers  *answers
	clients  addresses
	maxBody  int64
	parser   parser
}

func (e *execution) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isJSON(r.Header) {
		e.answers.send(w, r, http.StatusUnsupportedMediaType, inbound.Reply{
			Failure: fault.New(fault.Validation, "send the body as application/json in UTF-8, uncompressed"),
		})
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
	call, refused := e.parser.parse(body)
	if refused != nil {
		e.answers.refuse(w, r, call.command, refused)
		return
	}
	request, refused := e.request(w, r, call)
	if refused != nil {
		e.answers.refuse(w, r, call.command, refused)
		return
	}
	reply := e.commands.Execute(r.Context(), request)
	reply.Command = call.command
	code := http.StatusOK
	if reply.Failure != nil {
		code = inbound.Status(reply.Failure.Code)
	}
	e.answers.send(w, r, code, reply)
}

// request frees a call from its transport.
func (e *execution) request(w http.ResponseWriter, r *http.Request, call envelope) (inbound.Request, *fault.Error) {
	authorization := r.Header["Authorization"]
	if len(authorization) > 1 {
		return inbound.Request{}, errTwoCredentials
	}
	request := inbound.Request{
		Command: call.command, Params: call.params, DryRun: call.dryRun,
		IP: e.clients.client(r), UserAgent: userAgent(r), RequestID: requestID(w),
	}
	if len(authorization) == 1 {
		request.Authorization = authorization[0]
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

// refuseBody answers a body that was too large or broke off. The connection
// ends with it, for nobody wants to read the rest.
func (e *execution) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Connection", "close")
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		e.answers.send(w, r, http.StatusRequestEntityTooLarge, inbound.Reply{
			Failure: fault.New(fault.Validation, "the body is too large"),
		})
		return
	}
	e.answers.refuse(w, r, "", fault.New(fault.Validation, "the body could not be read to its end"))
}

// readBody reads a body of at most limit bytes into a buffer, which grows as needed.
// It fails with *http.MaxBytesError for a longer one.
func readBody(r *http.Request, into []byte, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return into, &http.MaxBytesError{Limit: limit}
	}
	for {
		if len(into) == cap(into) {
			into = append(into, 0)[:len(into)]
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

// isJSON tells whether a request says once that it carries plain JSON.
func isJSON(header http.Header) bool {
	types := header["Content-Type"]
	if len(types) != 1 || len(header["Content-Encoding"]) > 0 {
		return false
	}
	if types[0] == "application/json" {
		return true
	}
	media, options, err := mime.ParseMediaType(types[0])
	if err != nil || media != "application/json" {
		return false
	}
	charset, given := options["charset"]
	return len(options) == 0 || len(options) == 1 && given && strings.EqualFold(charset, "utf-8")
}

// isKey tells whether an Idempotency-Key is 1 to 255 visible ASCII characters.
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

// userAgent gives the header as text that any store takes.
func userAgent(r *http.Request) string {
	agent := r.UserAgent()
	if len(agent) > userAgentLimit {
		agent = agent[:userAgentLimit]
	}
	return strings.ToValidUTF8(agent, "")
}
