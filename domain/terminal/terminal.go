// Package terminal defines how the command line asks a page of the service to sign it in
// with a session of its own: by a one-time code with PKCE (RFC 7636), which the browser
// hands over on the loopback interface (RFC 8252 section 7.3) or the person copies.
package terminal

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/url"
	"regexp"
	"strconv"
)

// Path is the address of the page.
const Path = "/device/terminal"

// Request is what the command line asks for.
type Request struct {
	// Challenge is that of PKCE, by S256.
	Challenge string
	// Machine is the name that the machine of the command line gives itself.
	Machine string
	// Return is the address on loopback that gets the code, and State what it gets with it.
	// Both are empty if the person copies the code.
	Return, State string
}

var (
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	machineForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	stateForm     = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)
	returnForm    = regexp.MustCompile(`^http://(?:127\.0\.0\.1|\[::1\]):([1-9][0-9]{0,4})$`)
)

// ErrRequest is the error of a request that is malformed.
var ErrRequest = errors.New("the command line sent an invalid request: start again with gatehouse login")

// The names of the parameters.
const (
	challengeField = "code_challenge"
	machineField   = "machine"
	returnField    = "redirect_uri"
	stateField     = "state"
)

// Values returns the request as parameters.
func (r Request) Values() url.Values {
	sent := url.Values{challengeField: {r.Challenge}, machineField: {r.Machine}}
	if r.Return != "" {
		sent.Set(returnField, r.Return)
		sent.Set(stateField, r.State)
	}
	return sent
}

// Read reads a request from parameters. It fails with ErrRequest, also if its address is
// not on loopback.
func Read(sent url.Values) (Request, error) {
	for _, name := range []string{challengeField, machineField, returnField, stateField} {
		if len(sent[name]) > 1 {
			return Request{}, ErrRequest
		}
	}
	r := Request{sent.Get(challengeField), sent.Get(machineField), sent.Get(returnField), sent.Get(stateField)}
	copied := r.Return == "" && r.State == ""
	if !challengeForm.MatchString(r.Challenge) || !machineForm.MatchString(r.Machine) || !copied && !r.returns() {
		return Request{}, ErrRequest
	}
	return r, nil
}

// returns reports whether the code can be handed over to the address of the request.
func (r Request) returns() bool {
	parts := returnForm.FindStringSubmatch(r.Return)
	if parts == nil || !stateForm.MatchString(r.State) {
		return false
	}
	_, err := strconv.ParseUint(parts[1], 10, 16)
	return err == nil
}

// Back returns the address that hands over a code, or a refusal if the code is empty.
func (r Request) Back(code string) string {
	answer := url.Values{stateField: {r.State}}
	if code == "" {
		answer.Set("error", "access_denied")
	} else {
		answer.Set("code", code)
	}
	return r.Return + "/?" + answer.Encode()
}

// Words returns the code that the page and the command line both show, so that people can
// compare them. It follows from the challenge: a request of somebody else has another one.
func (r Request) Words() string {
	const half = 4
	sum := sha256.Sum256([]byte("gatehouse terminal " + r.Challenge))
	shown := base32.StdEncoding.EncodeToString(sum[:])
	return shown[:half] + "-" + shown[half:2*half]
}
