package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/oauth"
)

// registeredApp is the result of APP.GET and APP.UPDATE.
type registeredApp struct {
	Slug           string         `json:"slug"`
	Name           string         `json:"name"`
	RedirectURLs   []string       `json:"redirect_urls"`
	LogoutURLs     []string       `json:"logout_urls"`
	GrantTypes     []string       `json:"grant_types"`
	AuthMethod     string         `json:"token_endpoint_auth_method"`
	Scopes         []string       `json:"scopes"`
	Listed         bool           `json:"scopes_listed"`
	JWKS           jsontext.Value `json:"jwks"`
	JWKSURI        string         `json:"jwks_uri"`
	LogoURL        string         `json:"logo_url"`
	PolicyURL      string         `json:"policy_url"`
	TermsURL       string         `json:"terms_url"`
	BackchannelURI string         `json:"backchannel_logout_uri"`
	SubjectType    string         `json:"subject_type"`
	SectorURI      string         `json:"sector_identifier_uri"`
	IDTokenAlg     string         `json:"id_token_signed_response_alg"`
	RequirePKCE    bool           `json:"require_pkce"`
	DPoPBound      bool           `json:"dpop_bound_access_tokens"`
	RequirePAR     bool           `json:"require_par"`
	CreatedAt      time.Time      `json:"created_at"`
}

// clientInformation is the client information response (RFC 7592 section 3). The secret
// is not included, since only its digest is stored.
type clientInformation struct {
	ClientID           string         `json:"client_id"`
	IssuedAt           int64          `json:"client_id_issued_at"`
	RegistrationToken  string         `json:"registration_access_token"`
	RegistrationURI    string         `json:"registration_client_uri"`
	Name               string         `json:"client_name"`
	RedirectURIs       []string       `json:"redirect_uris"`
	GrantTypes         []string       `json:"grant_types"`
	ResponseTypes      []string       `json:"response_types"`
	AuthMethod         string         `json:"token_endpoint_auth_method"`
	Scope              string         `json:"scope,omitempty"`
	JWKS               jsontext.Value `json:"jwks,omitzero"`
	JWKSURI            string         `json:"jwks_uri,omitempty"`
	LogoURI            string         `json:"logo_uri,omitempty"`
	PolicyURI          string         `json:"policy_uri,omitempty"`
	TermsURI           string         `json:"tos_uri,omitempty"`
	LogoutURIs         []string       `json:"post_logout_redirect_uris,omitempty"`
	BackchannelURI     string         `json:"backchannel_logout_uri,omitempty"`
	BackchannelSession bool           `json:"backchannel_logout_session_required,omitzero"`
	SubjectType        string         `json:"subject_type"`
	SectorURI          string         `json:"sector_identifier_uri,omitempty"`
	IDTokenAlg         string         `json:"id_token_signed_response_alg"`
	RequirePKCE        bool           `json:"require_pkce"`
	DPoPBound          bool           `json:"dpop_bound_access_tokens"`
	RequirePAR         bool           `json:"require_pushed_authorization_requests"`
}

// information converts the result of a command to a client information response.
func (g registration) information(data []byte, token string) ([]byte, error) {
	var found struct {
		App registeredApp `json:"app"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, fmt.Errorf("read an app: %w", err)
	}
	of := found.App
	info := clientInformation{
		ClientID: of.Slug, IssuedAt: of.CreatedAt.Unix(), RegistrationToken: token, RegistrationURI: g.issuer + pathRegister + "/" + of.Slug,
		Name: of.Name, RedirectURIs: of.RedirectURLs, GrantTypes: slices.Clone(of.GrantTypes), ResponseTypes: []string{}, AuthMethod: of.AuthMethod,
		JWKS: of.JWKS, JWKSURI: of.JWKSURI, LogoURI: of.LogoURL, PolicyURI: of.PolicyURL, TermsURI: of.TermsURL, LogoutURIs: of.LogoutURLs,
		BackchannelURI: of.BackchannelURI, BackchannelSession: of.BackchannelURI != "",
		SubjectType: of.SubjectType, SectorURI: of.SectorURI, IDTokenAlg: of.IDTokenAlg, RequirePKCE: of.RequirePKCE, DPoPBound: of.DPoPBound, RequirePAR: of.RequirePAR,
	}
	if of.Listed {
		info.Scope = strings.Join(of.Scopes, " ")
	}
	if slices.Contains(of.GrantTypes, "authorization_code") {
		info.ResponseTypes = []string{"code"}
	}
	if at := slices.Index(info.GrantTypes, "device_code"); at >= 0 {
		info.GrantTypes[at] = oauth.DeviceGrant
	}
	return json.Marshal(info)
}
