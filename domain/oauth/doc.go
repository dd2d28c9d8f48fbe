// Package oauth is the model of the OAuth 2.1 authorization server and OpenID provider
// (spec/oauth.md). A client is an app (package app), an API a resource (package resource),
// and a browser's login a session (package session).
//
// # The aggregates
//
// A Request is an authorization request before the person's decision: sent to the
// authorization endpoint, or pushed (RFC 9126). It is stored under the digest of its handle,
// bound to the session that first opened it, and consumed by a completed authorization:
// before that it may be opened repeatedly.
//
//	request   pushed -> open (bound to a session) -> answered | expired
//
// A Consent is the consent of a person to an app: one for each person and app, with the
// union of the consented scopes. Revoking it ends the app's grants in the same transaction.
//
// A Grant is an authorization of a client by a person, and everything that derives from it:
// first the authorization code, then a sequence of refresh tokens, of which only digests are
// stored. An access token refers to its grant and is valid only while the grant is. A grant
// ends with its consent, its person, its app, its resource and, unless it has offline
// access, with its session. It also ends when a code is used twice or a replaced refresh
// token is used (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
//
//	grant     issued (has a code) -> redeemed -> ended;  issued -> expired
//
// A token obtained by token exchange (RFC 8693) has a grant of its own, of the client that
// requested it, which refers to the source grant and is valid only while that is.
//
// A Device is a device authorization (RFC 8628): it has two codes, for the device and for
// the person, and becomes a grant that can be redeemed immediately.
//
//	device    pending -> approved -> redeemed;  pending -> denied;  pending, approved -> expired
//
// # Scopes
//
// A scope is a claim scope of OpenID Connect (openid, profile, email, org, roles,
// offline_access; address and phone are accepted without effect), a permission of this
// service, or a scope of a resource. A token has the scopes that were requested, that the
// app may have, that the person consented to and, for permissions, currently holds.
package oauth
