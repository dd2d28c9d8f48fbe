package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// busy is the error code of a rate-limited request (RFC 6749 section 4.1.2.1).
const busy = "temporarily_unavailable"

// dialect translates between OAuth form requests and a command.
type dialect interface {
	// request converts a form to a call: it sets the parameters, and removes an
	// Authorization header that is not meant for the engine. Its errors begin with an
	// OAuth error code, like those of commands.
	request(sent form, to *inbound.Request) *fault.Error
	// result returns the body of a successful response; nil for an empty one.
	result(data []byte) ([]byte, error)
	errorFormat
}

// errorFormat translates failures.
type errorFormat interface {
	// refusal returns the status and the error code of a failure; word is the code in
	// its message, or empty. ok is false if the failure is a success for an OAuth
	// client.
	refusal(failure *fault.Error, word string) (status int, said string, ok bool)
	// challenges returns the values of WWW-Authenticate.
	challenges(sent http.Header, status int, failure *fault.Error) []string
}

// serveForm serves a form request.
func (d *direct) serveForm(w http.ResponseWriter, r *http.Request) {
	// RFC 6749 section 5.1; Cache-Control is set in every response.
	w.Header()["Pragma"] = []string{"no-cache"}
	borrowed := d.answers.buffers.borrow()
	defer d.answers.buffers.giveBack(borrowed)
	body, err := readBody(r, *borrowed, d.maxBody)
	*borrowed = body
	if err != nil {
		status, failure := unread(w, err)
		word := "invalid_request"
		if failure.Code == fault.RateLimited {
			word = busy
		}
		writeError(w, status, word, failure.Message)
		return
	}
	reply := d.ask(w, r, body)
	if reply.Failure == nil {
		answer, err := d.oauth.result(reply.Data)
		if err == nil {
			status := http.StatusOK
			if made, other := d.oauth.(pushedAuthorization); other {
				status = made.status()
			}
			write(w, status, answer)
			return
		}
		reply.Failure = internal(err)
	}
	reply.Command = d.command
	d.answers.refuseOAuth(w, r, d.oauth, reply)
}

// ask executes the command with the parameters of a form.
func (d *direct) ask(w http.ResponseWriter, r *http.Request, body []byte) inbound.Reply {
	var request inbound.Request
	sent, refused := parseForm(body)
	if refused == nil {
		d.pages.allowPublic(w.Header(), r, sent)
		request, refused = d.request(w, r, envelope{command: d.command})
	}
	if refused == nil {
		refused = d.oauth.request(sent, &request)
	}
	return d.execute(w, r, request, refused)
}

// refuseOAuth responds with an error according to RFC 6749 section 5.2.
func (a *answers) refuseOAuth(w http.ResponseWriter, r *http.Request, says errorFormat, reply inbound.Reply) {
	failure := reply.Failure
	word, why := oauthWord(failure.Message)
	status, ok := http.StatusInternalServerError, true
	switch failure.Code {
	case fault.Internal:
		id := requestID(w)
		a.log(r, id, reply)
		word, why = "server_error", "internal error, request id "+id
	case fault.RateLimited:
		w.Header()["Retry-After"] = []string{seconds(failure.RetryAfter)}
		status, word = inbound.StatusOf(failure), busy
	default:
		status, word, ok = says.refusal(failure, word)
	}
	if !ok {
		write(w, http.StatusOK, nil)
		return
	}
	if challenges := says.challenges(r.Header, status, failure); len(challenges) > 0 {
		w.Header()["Www-Authenticate"] = a.withResource(r, status, challenges)
	}
	writeError(w, status, word, why)
}

func writeError(w http.ResponseWriter, status int, word, why string) {
	body := appendText([]byte(`{"error":`), word)
	body = appendText(append(body, `,"error_description":`...), describe(why))
	write(w, status, append(body, '}'))
}

// write responds with JSON, or with an empty body.
func write(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	if len(body) > 0 {
		header["Content-Type"] = jsonType()
	}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// oauthWords returns the OAuth error codes at the start of messages of commands: RFC
// 6749 section 5.2, RFC 6750 section 3.1, RFC 7009 section 2.2.1, RFC 8628 section 3.5,
// RFC 8707 section 2, RFC 9101 section 7, RFC 9449 section 12.2 and OpenID Connect Core
// section 3.1.2.6.
func oauthWords() []string {
	return []string{
		"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
		"access_denied", "invalid_token", "insufficient_scope", "unsupported_token_type", "invalid_target", "invalid_dpop_proof",
		"authorization_pending", "slow_down", "expired_token", "invalid_request_object", "request_not_supported",
	}
}

// oauthWord splits a message into the OAuth error code and the rest. The code is empty
// if there is none.
func oauthWord(message string) (word, why string) {
	first, rest, led := strings.Cut(message, ":")
	if !led || !slices.Contains(oauthWords(), first) {
		return "", message
	}
	return first, strings.TrimLeft(rest, " ")
}

// describe replaces characters that are not allowed in error_description (RFC 6749
// section 5.2).
func describe(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '"':
			return '\''
		case c == '\\':
			return '/'
		case c < ' ' || c > '~':
			return '?'
		default:
			return c
		}
	}, text)
}
