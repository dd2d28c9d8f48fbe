package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

var errNoToken = fault.New(fault.Validation, "invalid_request: token is missing")

// introspection is the introspection endpoint without client authentication (RFC 7662).
// It ignores credentials and the token_type_hint.
type introspection struct{}

func (introspection) request(sent form, to *inbound.Request) *fault.Error {
	if sent["token"] == "" {
		return errNoToken
	}
	to.Authorization = ""
	to.Params = object(nil).text("token", sent["token"]).end()
	return nil
}

// introspectionResponse is the response of RFC 7662 section 2.2.
type introspectionResponse struct {
	Active    bool           `json:"active"`
	Scope     string         `json:"scope,omitempty"`
	ClientID  string         `json:"client_id,omitempty"`
	Subject   string         `json:"sub,omitempty"`
	Audience  string         `json:"aud,omitempty"`
	Issuer    string         `json:"iss,omitempty"`
	Expiry    int64          `json:"exp,omitzero"`
	IssuedAt  int64          `json:"iat,omitzero"`
	ID        string         `json:"jti,omitempty"`
	TokenType string         `json:"token_type,omitempty"`
	Bound     jsontext.Value `json:"cnf,omitzero"`
}

func (introspection) result(data []byte) ([]byte, error) {
	var found struct {
		introspectionResponse

		Party string `json:"azp"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, fmt.Errorf("read an introspection: %w", err)
	}
	if !found.Active {
		return json.Marshal(introspectionResponse{})
	}
	found.ClientID = found.Party
	return json.Marshal(found.introspectionResponse)
}

func (introspection) refusal(failure *fault.Error, word string) (status int, said string, ok bool) {
	return grant{}.refusal(failure, word)
}

func (introspection) challenges(sent http.Header, status int, failure *fault.Error) []string {
	return grant{}.challenges(sent, status, failure)
}

// clientIntrospection is the introspection endpoint with authentication of the resource server:
// as a client (RFC 7662 section 2.1), or by a token.
type clientIntrospection struct{ grant }

func (clientIntrospection) request(sent form, to *inbound.Request) *fault.Error {
	if sent["token"] == "" {
		return errNoToken
	}
	if !tokenScheme(to.Authorization) {
		client, refused := clientOf(sent, to.Authorization)
		if refused != nil {
			return refused
		}
		to.Authorization = ""
		to.Client = &inbound.ClientCredentials{
			ID: client.id, Secret: secret.New(client.secret),
			Assertion: secret.New(sent["client_assertion"]), AssertionType: sent["client_assertion_type"],
		}
	}
	to.Params = object(nil).text("token", sent["token"]).end()
	return nil
}

// tokenScheme reports whether an Authorization header contains an access token (RFC
// 6750 section 2.1, RFC 9449 section 7.1).
func tokenScheme(authorization string) bool {
	scheme, _, _ := strings.Cut(authorization, " ")
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "DPoP")
}

func (clientIntrospection) result(data []byte) ([]byte, error) { return data, nil }

func (i clientIntrospection) refusal(failure *fault.Error, word string) (status int, said string, ok bool) {
	if failure.Code == fault.Denied && word == "" {
		return http.StatusForbidden, "insufficient_scope", true // RFC 6750 section 3.1
	}
	return i.grant.refusal(failure, word)
}
