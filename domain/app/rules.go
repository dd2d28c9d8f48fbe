package app

import (
	"cmp"
	"net/url"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
)

// AuthMethod is how a client authenticates (RFC 7591 section 2); empty for a secret or an
// assertion, whichever it presents.
type AuthMethod string

// The methods by which clients authenticate.
const (
	AuthNone   AuthMethod = "none"
	AuthBasic  AuthMethod = "client_secret_basic"
	AuthPost   AuthMethod = "client_secret_post"
	AuthSigned AuthMethod = "private_key_jwt"
)

// SchemaFragment describes the method in a JSON Schema.
func (AuthMethod) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "enum": []any{AuthNone, AuthBasic, AuthPost, AuthSigned}, "examples": []any{AuthBasic},
	}
}

// SubjectType is the type of subject identifiers (OpenID Connect Core section 8).
type SubjectType string

// The types of subjects. Empty is public.
const (
	// PublicSubject is the identifier of the user.
	PublicSubject SubjectType = "public"
	// PairwiseSubject is another one for each host that clients redirect to.
	PairwiseSubject SubjectType = "pairwise"
)

// SchemaFragment describes the type in a JSON Schema.
func (SubjectType) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{PublicSubject, PairwiseSubject}, "examples": []any{PublicSubject}}
}

// Profile is a set of rules that others wrote; empty for none.
type Profile string

// FAPI2 is the FAPI 2.0 Security Profile, with DPoP and private_key_jwt.
const FAPI2 Profile = "fapi2"

// SchemaFragment describes the profile in a JSON Schema. The empty one takes it away.
func (Profile) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{"", FAPI2}, "examples": []any{FAPI2}}
}

// Rules are restrictions of an app beyond those of all clients.
type Rules struct {
	AuthMethod AuthMethod `json:"token_endpoint_auth_method,omitzero" audit:"token_endpoint_auth_method"`
	// BackchannelLogoutURI is notified when a session ends in which the app was used
	// (OpenID Connect Back-Channel Logout 1.0 section 2.2); empty for none.
	BackchannelLogoutURI string      `json:"backchannel_logout_uri,omitzero" audit:"backchannel_logout_uri"`
	SubjectType          SubjectType `json:"subject_type,omitzero" audit:"subject_type"`
	// SectorURI lists the redirect addresses of all clients of a sector, which share
	// pairwise subjects (OpenID Connect Registration section 5); empty for none.
	SectorURI string `json:"sector_identifier_uri,omitzero" audit:"sector_identifier_uri"`
	// IDTokenAlg is the signing algorithm of ID tokens and logout tokens; empty for
	// ES256.
	IDTokenAlg signingkey.Algorithm `json:"id_token_signed_response_alg,omitzero" audit:"id_token_signed_response_alg"`
	// WithoutPKCE allows a confidential client to omit PKCE.
	WithoutPKCE bool `json:"without_pkce,omitzero" audit:"without_pkce"`
	// RequirePAR takes its authorization requests pushed alone (RFC 9126 section 6).
	RequirePAR bool `json:"require_pushed_authorization_requests,omitzero" audit:"require_par"`
	// DPoPBound restricts the app to tokens bound to a key (RFC 9449 section 5.2).
	DPoPBound bool `json:"dpop_bound_access_tokens,omitzero" audit:"dpop_bound_access_tokens"`
	// SkipConsent skips the consent page, for apps of the operator.
	SkipConsent bool    `json:"skip_consent,omitzero" audit:"skip_consent"`
	Profile     Profile `json:"profile,omitzero" audit:"profile"`
	// AnyWorkspace gives the app roles and groups of whatever workspace a person acts in;
	// it must check which one that is.
	AnyWorkspace bool `json:"any_workspace,omitzero" audit:"any_workspace"`
}

// SignedBy returns the signing algorithm of ID tokens and logout tokens.
func (r Rules) SignedBy() signingkey.Algorithm { return cmp.Or(r.IDTokenAlg, signingkey.ES256) }

// PushesOnly reports whether the authorization requests of the app must be pushed.
func (r Rules) PushesOnly() bool { return r.RequirePAR || r.Profile == FAPI2 }

// BindsTokens reports whether tokens of the app must be bound to a key.
func (r Rules) BindsTokens() bool { return r.DPoPBound || r.Profile == FAPI2 }

// RotatesRefresh reports whether each use of a refresh token of the app replaces it.
func (r Rules) RotatesRefresh() bool { return r.Profile != FAPI2 }

// AsksInEachSession reports whether a person is asked once in each of their sessions, though they
// agreed to all of it in another: to sign in is then never all it takes.
func (r Rules) AsksInEachSession() bool { return r.Profile == FAPI2 }

// Signs reports whether the app may authenticate by an assertion, or with false, by a secret.
func (r Rules) Signs(assertion bool) bool {
	switch {
	case r.AuthMethod == AuthSigned || r.Profile == FAPI2:
		return assertion
	case r.AuthMethod == AuthBasic, r.AuthMethod == AuthPost:
		return !assertion
	}
	return true
}

// Takes reports whether the app may authenticate by a method at the token endpoint. An
// app that registered a method uses that method only.
func (r Rules) Takes(method AuthMethod) bool {
	return r.Signs(method == AuthSigned) && (r.AuthMethod == "" || r.AuthMethod == method)
}

// NeedsPKCE reports whether authorization requests of the app need a code_challenge.
func (s Snapshot) NeedsPKCE() bool { return s.Type.Public() || !s.WithoutPKCE || s.Profile == FAPI2 }

// Sector returns the host that the app's people are known by where its subjects are pairwise
// (OpenID Connect Core section 8.1); empty where they are not.
func (s Snapshot) Sector() string {
	if s.SubjectType != PairwiseSubject {
		return ""
	}
	if at, err := url.Parse(s.SectorURI); s.SectorURI != "" && err == nil {
		return at.Hostname()
	}
	sectors := sectorsOf(s.RedirectURLs)
	if len(sectors) != 1 {
		return s.Slug
	}
	return sectors[0]
}

// sectorsOf returns the hosts of addresses, or the schemes of private use, each once.
func sectorsOf(addresses []string) []string {
	var sectors []string
	seen := map[string]bool{}
	for _, address := range addresses {
		parsed, err := url.Parse(address)
		if err != nil {
			continue
		}
		sector := parsed.Hostname()
		if sector == "" {
			sector = parsed.Scheme
		}
		if !seen[sector] {
			seen[sector] = true
			sectors = append(sectors, sector)
		}
	}
	return sectors
}

// check refuses rules that do not suit the type of an app, or each other.
func (r Rules) check(s Snapshot) []fault.Field {
	var complaints []fault.Field
	complain := func(wrong bool, path, message string) {
		if wrong {
			complaints = append(complaints, fault.Field{Path: path, Message: message})
		}
	}
	public := s.Type.Public()
	complain(public && r.AuthMethod != "" && r.AuthMethod != AuthNone, "/token_endpoint_auth_method", "must be none for a public client (spa or native)")
	complain(!public && r.AuthMethod == AuthNone, "/token_endpoint_auth_method", "must not be none: only public clients (spa or native) use none")
	complain(public && r.WithoutPKCE, "/require_pkce", "must be true for a public client (spa or native)")
	complain(r.Profile == FAPI2 && public, "/profile", "must not be fapi2 for a public client (spa or native): fapi2 requires private_key_jwt")
	complain(r.Profile == FAPI2 && r.WithoutPKCE, "/require_pkce", "must be true with the profile fapi2")
	complain(r.Profile == FAPI2 && r.AuthMethod != "" && r.AuthMethod != AuthSigned, "/token_endpoint_auth_method", "must be private_key_jwt with the profile fapi2")
	complain(r.SubjectType == PairwiseSubject && r.SectorURI == "" && len(sectorsOf(s.RedirectURLs)) > 1, "/subject_type", "cannot be pairwise: use redirect_urls on a single host, or a sector_identifier_uri that lists them")
	return complaints
}
