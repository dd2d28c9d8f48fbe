package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// busy is the error of a refusal that says to come again (RFC 6749 section 4.1.2.1).
const busy = "temporarily_unavailable"

// dialect is how a command speaks OAuth.
type dialect interface {
	// request makes a call of a form: it fills the parameters, and takes an
	// Authorization header away that is not meant for the engine. Its refusals
	// begin with an OAuth error word, as those of the commands do.
	request(sent form, to *inbound.Request) *fault.Error
	// result returns the body of the answer to a call that succeeded; nil for an empty one.
	result(data []byte) ([]byte, error)
	speech
}

// speech is how failures are told.
type speech interface {
	// refusal returns the status and the error word of a failure that names none; ok
	// is false for what is no failure to an OAuth client.
	refusal(failure *fault.Error, word string) (status int, said string, ok bool)
	// challenges returns the values of WWW-Authenticate.
	challenges(sent http.Header, status int, failure *fault.Error) []string
}

// serveForm answers an OAuth client.
func (d *direct) serveForm(w http.ResponseWriter, r *http.Request) {
	// RFC 6749 section 5.1; Cache-Control is that of every answer.
	w.Header()["Pragma"] = []string{"no-cache"}
	lent := d.answers.buffers.borrow()
	defer d.answers.buffers.giveBack(lent)
	body, err := readBody(r, *lent, d.maxBody)
	*lent = body
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
			if made, other := d.oauth.(pushing); other {
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

// ask calls the command with the parameters of a form.
func (d *direct) ask(w http.ResponseWriter, r *http.Request, body []byte) inbound.Reply {
	var request inbound.Request
	sent, refused := parseForm(body)
	if refused == nil {
		request, refused = d.request(w, r, envelope{command: d.command})
	}
	if refused == nil {
		refused = d.oauth.request(sent, &request)
	}
	return d.execute(w, r, request, refused)
}

// refuseOAuth answers a failure as RFC 6749 section 5.2 says.
func (a *answers) refuseOAuth(w http.ResponseWriter, r *http.Request, says speech, reply inbound.Reply) {
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
		status, word = http.StatusTooManyRequests, busy
	default:
		status, word, ok = says.refusal(failure, word)
	}
	if !ok {
		write(w, http.StatusOK, nil)
		return
	}
	if challenges := says.challenges(r.Header, status, failure); len(challenges) > 0 {
		w.Header()["Www-Authenticate"] = a.located(r, status, challenges)
	}
	writeError(w, status, word, why)
}

func writeError(w http.ResponseWriter, status int, word, why string) {
	body := appendText([]byte(`{"error":`), word)
	body = appendText(append(body, `,"error_description":`...), describe(why))
	write(w, status, append(body, '}'))
}

// write sends JSON, or nothing.
func write(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	if len(body) > 0 {
		header["Content-Type"] = jsonType()
	}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// oauthWords returns the errors of OAuth that lead messages of commands: RFC 6749
// section 5.2, RFC 6750 section 3.1, RFC 7009 section 2.2.1, RFC 8628 section 3.5, RFC 8707
// section 2, RFC 9101 section 7, RFC 9449 section 12.2 and OpenID Connect Core section 3.1.2.6.
func oauthWords() []string {
	return []string{
		"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
		"access_denied", "invalid_token", "insufficient_scope", "unsupported_token_type", "invalid_target", "invalid_dpop_proof",
		"authorization_pending", "slow_down", "expired_token", "invalid_request_object", "request_not_supported",
	}
}

// oauthWord splits a message into the OAuth error that leads it and the reason;
// the first is empty where none does.
func oauthWord(message string) (word, why string) {
	first, rest, led := strings.Cut(message, ":")
	if !led || !slices.Contains(oauthWords(), first) {
		return "", message
	}
	return first, strings.TrimLeft(rest, " ")
}

// describe makes a text fit for error_description, which knows neither quotes nor
// backslashes nor anything beyond ASCII (RFC 6749 section 5.2).
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
