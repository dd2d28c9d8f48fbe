// Package social speaks with google, github and discord as an OAuth 2.0 client
// (RFC 6749, with PKCE of RFC 7636). It is the only package that knows goth.
//
// # Decision: goth words the questions, the exchange is ours
//
// Context: goth knows how each provider wants to be asked and what its profile
// looks like. But its providers speak no PKCE, take no context, discord's forgets
// the HTTP client that it was given, github's trusts the address of the profile
// without looking whether it was verified, google's puts the access token into the
// address, and gothic keeps state in cookies.
//
// Choice: a goth provider is made for each call. It words the authorization
// request, to which the PKCE challenge is added, and fetches the profile; the code
// is exchanged, and a token refreshed, by golang.org/x/oauth2 with the verifier.
// Everything goes through one transport, which carries the context, bounds time and
// size, follows no redirect, and moves a token out of an address into the header.
// Verified addresses of github are read from /user/emails.
//
// What would change our mind: a release of goth that takes a context and PKCE.
package social
