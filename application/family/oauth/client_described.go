package oauth

import (
	"encoding/json"
	"slices"
	"strings"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/signingkey"
)

// RegisteredClient is the result of OAUTH.CLIENT_REGISTER (RFC 7591 section 3.2.1, RFC 7592
// section 3): the client, and all that was registered of it.
type RegisteredClient struct {
	ClientID          string       `json:"client_id" doc:"Identifier of the client, which is that of the app."`
	ClientSecret      secret.Shown `json:"client_secret,omitzero" doc:"Its secret, shown this once; absent for one that has none."`
	IssuedAt          int64        `json:"client_id_issued_at" doc:"When it was registered, in Unix seconds."`
	SecretExpiresAt   *int64       `json:"client_secret_expires_at,omitzero" doc:"0, for secrets do not expire; absent without one."`
	RegistrationToken secret.Shown `json:"registration_access_token" doc:"What reads, changes and deletes the registration at registration_client_uri (RFC 7592), shown this once."`
	RegistrationURI   secret.Shown `json:"registration_client_uri" doc:"Address of the registration."`

	Name               string               `json:"client_name" doc:"Name to show."`
	RedirectURIs       []string             `json:"redirect_uris" doc:"Where answers may be sent."`
	GrantTypes         []string             `json:"grant_types" doc:"Ways to a token it may use."`
	ResponseTypes      []string             `json:"response_types" doc:"code."`
	AuthMethod         app.AuthMethod       `json:"token_endpoint_auth_method" doc:"How it authenticates."`
	Scope              string               `json:"scope,omitzero" doc:"Scopes that it may ask for, separated by spaces; absent: those that need no grant."`
	JWKS               json.RawMessage      `json:"jwks,omitzero" doc:"Its public keys."`
	JWKSURI            string               `json:"jwks_uri,omitzero" doc:"Where it publishes them."`
	LogoURI            string               `json:"logo_uri,omitzero" doc:"Address of a picture."`
	PolicyURI          string               `json:"policy_uri,omitzero" doc:"Address of its privacy policy."`
	TermsURI           string               `json:"tos_uri,omitzero" doc:"Address of its terms of use."`
	LogoutURIs         []string             `json:"post_logout_redirect_uris,omitzero" doc:"Where people may be sent after a logout."`
	BackchannelURI     string               `json:"backchannel_logout_uri,omitzero" doc:"What gets a logout token when a session ends in which somebody signed in to it."`
	BackchannelSession bool                 `json:"backchannel_logout_session_required,omitzero" doc:"true with backchannel_logout_uri: a logout token always says which session ended (sid)."`
	SubjectType        app.SubjectType      `json:"subject_type" doc:"What it knows people by."`
	SectorURI          string               `json:"sector_identifier_uri,omitzero" doc:"Address that lists the redirect addresses of its sector."`
	IDTokenAlg         signingkey.Algorithm `json:"id_token_signed_response_alg" doc:"What its ID tokens are signed by."`
	RequirePKCE        bool                 `json:"require_pkce" doc:"Whether its authorization requests need PKCE."`
	DPoPBound          bool                 `json:"dpop_bound_access_tokens" doc:"Whether its tokens must be bound to a key."`
	RequirePAR         bool                 `json:"require_pushed_authorization_requests" doc:"Whether its authorization requests must be pushed."`
}

// described returns a client as it was registered.
func (s *Service) described(of app.Snapshot) RegisteredClient {
	c := RegisteredClient{
		ClientID: of.Slug, IssuedAt: of.CreatedAt.Unix(), RegistrationURI: secret.Shown(s.Access.Issuer + registerPath + of.Slug),
		Name: of.Name, RedirectURIs: of.RedirectURLs, ResponseTypes: []string{}, AuthMethod: of.AuthMethod,
		JWKSURI: of.JWKSURI, LogoURI: of.LogoURL, PolicyURI: of.PolicyURL, TermsURI: of.TermsURL, LogoutURIs: of.LogoutURLs,
		BackchannelURI: of.BackchannelLogoutURI, BackchannelSession: of.BackchannelLogoutURI != "",
		SubjectType: app.PublicSubject, SectorURI: of.SectorURI, IDTokenAlg: of.SignedBy(), RequirePKCE: of.NeedsPKCE(), DPoPBound: of.BindsTokens(), RequirePAR: of.PushesOnly(),
	}
	if of.SubjectType != "" {
		c.SubjectType = of.SubjectType
	}
	if of.JWKS != "" {
		c.JWKS = json.RawMessage(of.JWKS)
	}
	if of.Listed {
		c.Scope = strings.Join(of.Scopes, " ")
	}
	for _, grant := range of.GrantTypes {
		name := string(grant)
		if grant == app.DeviceCode {
			name = oauth.DeviceGrant
		}
		c.GrantTypes = append(c.GrantTypes, name)
	}
	if of.May(app.AuthorizationCode) {
		c.ResponseTypes = []string{"code"}
	}
	return c
}

// inRFC names the parameters of a fault as RFC 7591 does.
func inRFC(err error) error {
	complaints := slices.Clone(fault.From(err).Fields)
	if len(complaints) == 0 {
		return err
	}
	for i, one := range complaints {
		for ours, theirs := range map[string]string{"/redirect_urls": "/redirect_uris", "/logout_urls": "/post_logout_redirect_uris", "/scopes": "/scope"} {
			if rest, is := strings.CutPrefix(one.Path, ours); is {
				complaints[i].Path = theirs + rest
			}
		}
	}
	return fault.Refuse(complaints...)
}
