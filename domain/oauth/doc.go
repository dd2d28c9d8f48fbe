// Package oauth is the model of what this service does as an OAuth 2.1 authorization server
// and OpenID provider (spec/oauth.md). A client is an app (package app), an API a resource
// (package resource), a browser's login a session (package session).
//
// # The aggregates
//
// A Request is what a client asks for, before a person has answered: sent to the
// authorization endpoint, or pushed beforehand (RFC 9126). It is kept under the digest of its
// handle, bound to the session that first saw it, and used up by one finished authorization:
// opened twice before that it works, after that it does not.
//
//	request   pushed -> open (bound to a session) -> answered | expired
//
// A Consent is what a person lets an app have: one for each person and app, with the union of
// the scopes that they agreed to. Who revokes it ends the app's grants in the same transaction.
//
// A Grant is one authorization of one client by one person, and all that came of it: the
// authorization code first, then the refresh tokens that follow each other. Of both only
// digests are kept. An access token names its grant and holds only while that does; so does
// everything else: a grant ends with its consent, its person, its app, its resource and, unless
// it is for offline access, with its session. The second use of a code, and the use of a
// refresh token that was replaced, end it (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
//
//	grant     issued (has a code) -> redeemed -> ended;  issued -> expired
//
// A token that was exchanged for another one (RFC 8693) has a grant of its own, of the client
// that acts now, which names the one it came from and holds only while that does.
//
// A Device is a login begun where there is no browser (RFC 8628): it waits under two codes,
// one for the machine and one for people, and becomes a grant that is redeemed at once.
//
//	device    pending -> approved -> redeemed;  pending -> denied;  pending, approved -> expired
//
// # The words for people
//
// A scope is a claim scope of OpenID Connect (openid, profile, email, org, roles,
// offline_access; address and phone are taken and empty), a permission of this service, or a
// scope of a resource. What a token carries is what was asked for, the app may have, the person
// consented to and, for permissions, holds at that moment.
package oauth
