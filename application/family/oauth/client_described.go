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
	ClientID          string       `json:"client_id" doc:"The client_id of the new app."`
	ClientSecret      secret.Shown `json:"client_secret,omitzero" doc:"Client secret, returned only once. Absent if the client has none."`
	IssuedAt          int64        `json:"client_id_issued_at" doc:"Time the client was registered. Unix seconds."`
	SecretExpiresAt   *int64       `json:"client_secret_expires_at,omitzero" doc:"Always 0, because secrets do not expire. Absent if the client has none."`
	RegistrationToken secret.Shown `json:"registration_access_token" doc:"Token to read, change and delete the registration at registration_client_uri (RFC 7592). Returned only once."`
	RegistrationURI   secret.Shown `json:"registration_client_uri" doc:"URL of the registration."`

	Name               string               `json:"client_name" doc:"Display name."`
	RedirectURIs       []string             `json:"redirect_uris" doc:"URLs that authorization responses can be sent to."`
	GrantTypes         []string             `json:"grant_types" doc:"OAuth grant types the client can use."`
	ResponseTypes      []string             `json:"response_types" doc:"Response types the client can use: code."`
	AuthMethod         app.AuthMethod       `json:"token_endpoint_auth_method" doc:"Client authentication method."`
	Scope              string               `json:"scope,omitzero" doc:"Scopes the client can request, separated by spaces. If absent, it can request scopes that need no grant."`
	JWKS               json.RawMessage      `json:"jwks,omitzero" doc:"Public keys of the client."`
	JWKSURI            string               `json:"jwks_uri,omitzero" doc:"URL where the client publishes its public keys."`
	LogoURI            string               `json:"logo_uri,omitzero" doc:"URL of the client's logo."`
	PolicyURI          string               `json:"policy_uri,omitzero" doc:"URL of the client's privacy policy."`
	TermsURI           string               `json:"tos_uri,omitzero" doc:"URL of the client's terms of service."`
	LogoutURIs         []string             `json:"post_logout_redirect_uris,omitzero" doc:"URLs that people can be sent to after signing out."`
	BackchannelURI     string               `json:"backchannel_logout_uri,omitzero" doc:"URL that receives a logout token when a session ends in which somebody signed in to the client."`
	BackchannelSession bool                 `json:"backchannel_logout_session_required,omitzero" doc:"Always true with backchannel_logout_uri: every logout token names the session that ended (sid)."`
	SubjectType        app.SubjectType      `json:"subject_type" doc:"Type of identifier by which the client knows people."`
	SectorURI          string               `json:"sector_identifier_uri,omitzero" doc:"URL that lists the redirect URLs of the sector of the client."`
	IDTokenAlg         signingkey.Algorithm `json:"id_token_signed_response_alg" doc:"Algorithm that signs ID tokens."`
	RequirePKCE        bool                 `json:"require_pkce" doc:"Whether authorization requests need PKCE."`
	DPoPBound          bool                 `json:"dpop_bound_access_tokens" doc:"Whether the tokens of the client must be bound to a key."`
	RequirePAR         bool                 `json:"require_pushed_authorization_requests" doc:"Whether authorization requests must be pushed."`
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
