// Package jose makes the service's signing keys and the signed tokens under
// them: compact JWS (RFC 7515) with ES256 or RS256 (RFC 7518), and public keys
// as JWK (RFC 7517). It is the only package that knows jwx.
//
// # Decision: jwx does the keys and signatures, the compact form is ours
//
// Context: jws.Parse and jws.Verify accept what a service must refuse (the JSON
// serialization, duplicate header members, line breaks inside base64, a key or a
// URL of a key in the header) and cost twice the signature itself; jwx v2 is no
// longer maintained upstream.
//
// Choice: we split and decode the three segments ourselves, strictly and before
// any arithmetic, take the algorithm from our key, and hand only the signing
// input to jwx's low-level signers and verifiers, which measure the same as
// crypto/ecdsa alone. Only tokens of our own keys come here, so a header holds
// exactly alg, kid and typ; any other member (jku, x5u, jwk, x5c, crit, zip, enc,
// b64, and those to be invented) is refused by not being on that list.
//
// What would change our mind: tokens of other issuers. Those need a verifier of
// their own beside this one, with its own list of members, not a laxer one.
//
// An ECDSA signature (r, s) has a twin (r, n-s) that is as right. A token is
// therefore known by its jti or by the hash of what is under the signature, never
// by the hash of its whole text.
package jose
