package app

import (
	"strings"
	"sync"
)

// personClaims are names about persons that tokens of machines may not carry. Of all reserved
// names, these alone may be set where a token is about a person (contract section 3).
const personClaims = ` preferred_username given_name family_name groups `

// registeredClaims are the names of the registry "JSON Web Token Claims" of IANA.
const registeredClaims = `
	iss sub aud exp nbf iat jti
	name middle_name nickname profile picture website email email_verified
	gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at
	azp nonce auth_time at_hash c_hash s_hash acr amr sub_jwk cnf
	sip_from_tag sip_date sip_callid sip_cseq_num sip_via_branch orig dest mky
	events toe txn rph sid vot vtm attest origid act scope client_id may_act jcard at_use_nbr div opt vc vp sph
	ace_profile cnonce exi roles entitlements token_introspection
	eat_nonce ueid sueids oemid hwmodel hwversion oemboot dbgstat location eat_profile submods uptime bootcount bootseed
	dloas swname swversion manifests measurements measres intuse
	cdniv cdnicrit cdniip cdniuc cdniets cdnistt cdnistd sig_val_claims authorization_details
	verified_claims place_of_birth nationalities birth_family_name birth_given_name birth_middle_name salutation title
	msisdn also_known_as htm htu ath atc sub_id rcd rcdi crn msgi _claim_names _claim_sources
	rdap_allowed_purposes rdap_dnt_allowed geohash _sd ... _sd_alg sd_hash
	consumerPlmnId consumerSnpnId producerPlmnId producerSnpnId producerSnssaiList producerNsiList producerNfSetId
	producerNfServiceSetId sourceNfInstanceId analyticsIdList resOwnerId cmw
	jwks metadata constraints crit ref delegation logo_uri authority_hints trust_anchor_hints trust_marks
	trust_mark_issuers trust_mark_owners trust_mark_type metadata_policy metadata_policy_crit source_endpoint keys
	trust_chain trust_anchor status status_list ttl vct vct#integrity`

// knownClaims are claim names that are in no registry but have a meaning for this
// service, other OpenID providers or libraries of resource servers, for identity or
// authorization.
const knownClaims = `
	org_id permissions permissions_overflow permission features role group scp scopes authorities typ token_type token_use client_name active username
	superadmin is_superadmin memberof policy jkt realm_access resource_access allowed-origins session_state
	upn unique_name nameid actort winaccountname oid tid wids appid appidacr azpacr idtyp hd uid cid
	user_id firebase app_metadata user_metadata kubernetes.io`

// knownClaimPrefixes begin names of the same kind.
func knownClaimPrefixes() []string {
	return []string{
		"cognito:", "x-hasura-", "urn:gatehouse:", "https://hasura.io/", "https://aws.amazon.com/", "https://kubernetes.io/",
		"http://schemas.microsoft.com/", "http://schemas.xmlsoap.org/",
	}
}

// reservedClaims are all these names in lower case: there are verifiers that ignore
// case.
var reservedClaims = sync.OnceValue(func() map[string]bool { //nolint:gochecknoglobals // a table that is never changed
	names := map[string]bool{}
	for name := range strings.FieldsSeq(personClaims + registeredClaims + knownClaims) {
		names[strings.ToLower(name)] = true
	}
	return names
})

// PersonClaim reports whether an app may set a standard claim in ID tokens and at the
// UserInfo endpoint, though the name is reserved in all other tokens.
func PersonClaim(name string) bool {
	switch name {
	case "preferred_username", "given_name", "family_name", "groups":
		return true
	}
	return false
}

// ReservedClaim reports whether a claim name has a meaning for tokens, OpenID providers
// or resource servers, so that apps may not set it (contract section 3).
func ReservedClaim(name string) bool {
	folded := strings.ToLower(name)
	if reservedClaims()[folded] {
		return true
	}
	for _, prefix := range knownClaimPrefixes() {
		if strings.HasPrefix(folded, prefix) {
			return true
		}
	}
	return false
}
