package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gorilla/mux"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// Error codes and reasons of the OpenFeature Remote Evaluation Protocol.
const (
	flagNotFound   = "FLAG_NOT_FOUND"
	parseError     = "PARSE_ERROR"
	invalidContext = "INVALID_CONTEXT"
	generalError   = "GENERAL"
	byTarget       = "TARGETING_MATCH"
	byDefault      = "DEFAULT"
)

// errTwoKeys is returned for a request with two credentials.
var errTwoKeys = fault.New(fault.TokenInvalid, "send either Authorization or X-API-Key, not both")

// evaluation serves FEATURE.EVALUATE by the OpenFeature Remote Evaluation Protocol
// (github.com/open-feature/protocol, service/openapi.yaml): of one flag, named by the
// path, or of all.
type evaluation struct {
	*execution

	command string
}

// flagError is the response to a failed evaluation.
type flagError struct {
	Key     string `json:"key,omitempty"`
	Code    string `json:"errorCode"`
	Details string `json:"errorDetails,omitempty"`
}

// flag is an evaluated flag.
type flag struct {
	Key      string         `json:"key"`
	Value    jsontext.Value `json:"value"`
	Reason   string         `json:"reason"`
	Metadata flagMetadata   `json:"metadata"`
}

type flagMetadata struct {
	Source string `json:"source"`
}

func (e *evaluation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, single := mux.Vars(r)["key"]
	if !isJSON(r.Header) {
		writeFlagError(w, http.StatusUnsupportedMediaType, flagError{key, parseError, "unsupported body: send application/json in UTF-8, uncompressed"})
		return
	}
	borrowed := e.answers.buffers.borrow()
	defer e.answers.buffers.giveBack(borrowed)
	body, err := readBody(r, *borrowed, e.maxBody)
	*borrowed = body
	if err != nil {
		status, failure := unread(w, err)
		writeFlagError(w, status, flagError{key, generalError, failure.Message})
		return
	}
	var request inbound.Request
	params, refused := evaluationParams(body, key, single)
	if refused == nil {
		request, refused = e.request(w, r, envelope{command: e.command, params: params})
	}
	if refused == nil {
		refused = e.key(r, &request)
	}
	reply := e.execute(w, r, request, refused)
	reply.Command = e.command
	var flags []flag
	if reply.Failure == nil {
		if flags, err = flagsOf(reply.Data); err != nil {
			reply.Failure = internal(err)
		}
	}
	switch {
	case reply.Failure != nil:
		e.fail(w, r, key, reply)
	case !single:
		answerFlags(w, r, flags)
	case len(flags) == 0:
		writeFlagError(w, http.StatusNotFound, flagError{key, flagNotFound, "feature not found"})
	default:
		encoded, _ := json.Marshal(flags[0])
		write(w, http.StatusOK, encoded)
	}
}

// key accepts a credential in X-API-Key, the alternative of the protocol.
func (*evaluation) key(r *http.Request, to *inbound.Request) *fault.Error {
	sent := r.Header["X-Api-Key"]
	switch {
	case len(sent) == 0:
		return nil
	case len(sent) > 1 || to.Authorization != "":
		return errTwoKeys
	}
	to.Authorization = "Bearer " + sent[0]
	return nil
}

// evaluationParams converts a body to parameters; its context becomes the attributes.
// Without targetingKey, the evaluation is anonymous regardless of the caller.
func evaluationParams(body []byte, key string, single bool) ([]byte, *fault.Error) {
	if refused := bounded(body); refused != nil {
		return nil, refused
	}
	var sent struct {
		Context map[string]jsontext.Value `json:"context"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, fault.New(fault.Validation, "the body must be an object whose context is an object")
	}
	if sent.Context == nil {
		sent.Context = map[string]jsontext.Value{}
	}
	const targetingKey = "targetingKey"
	if _, named := sent.Context[targetingKey]; !named {
		sent.Context[targetingKey] = jsontext.Value(`""`)
	}
	params := struct {
		Keys       []string                  `json:"keys,omitempty"`
		Attributes map[string]jsontext.Value `json:"attributes"`
	}{Attributes: sent.Context}
	if single {
		params.Keys = []string{key}
	}
	encoded, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		return nil, fault.New(fault.Validation, "the context is malformed")
	}
	return encoded, nil
}

// flagsOf parses a result of FEATURE.EVALUATE, sorted by key.
func flagsOf(data []byte) ([]flag, error) {
	var result struct {
		Features map[string]struct {
			Value  jsontext.Value `json:"value"`
			Source string         `json:"source"`
		} `json:"features"`
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return nil, errors.Join(errors.New("read the evaluated features"), err)
	}
	flags := make([]flag, 0, len(result.Features))
	for key, one := range result.Features {
		reason := byTarget
		if one.Source == "default" {
			reason = byDefault
		}
		flags = append(flags, flag{key, one.Value, reason, flagMetadata{one.Source}})
	}
	slices.SortFunc(flags, func(a, b flag) int { return strings.Compare(a.Key, b.Key) })
	return flags, nil
}

// answerFlags responds with all flags, or with 304 if the client has them (RFC 9110
// section 13.1.2).
func answerFlags(w http.ResponseWriter, r *http.Request, flags []flag) {
	encoded, _ := json.Marshal(struct {
		Flags []flag `json:"flags"`
	}{flags})
	sum := sha256.Sum256(encoded)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	w.Header()["Etag"] = []string{tag}
	for _, one := range strings.Split(strings.Join(r.Header["If-None-Match"], ","), ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	write(w, http.StatusOK, encoded)
}

// fail responds with a failure of the command.
func (e *evaluation) fail(w http.ResponseWriter, r *http.Request, key string, reply inbound.Reply) {
	failure := reply.Failure
	said := flagError{key, generalError, failure.Message}
	status := inbound.StatusOf(failure)
	about := func(path string) bool {
		return slices.ContainsFunc(failure.Fields, func(f fault.Field) bool { return strings.HasPrefix(f.Path, path) })
	}
	switch {
	case !failure.Public():
		id := requestID(w)
		e.answers.log(r, id, reply)
		said.Details = "internal error, request id " + id
	case failure.Code == fault.Validation && about("/keys"):
		status, said.Code, said.Details = http.StatusNotFound, flagNotFound, "feature not found"
	case failure.Code == fault.Validation && about("/attributes"):
		said.Code = invalidContext
	case failure.Code == fault.Validation:
		said.Code = parseError
	}
	e.answers.explain(w.Header(), r, reply)
	writeFlagError(w, status, said)
}

func writeFlagError(w http.ResponseWriter, status int, said flagError) {
	encoded, err := json.Marshal(said, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		encoded = []byte(`{"errorCode":"` + generalError + `"}`)
	}
	write(w, status, encoded)
}
