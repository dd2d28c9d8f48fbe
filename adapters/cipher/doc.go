// Package cipher protects values at rest: it seals them with AES-256-GCM, derives
// keys with HKDF-SHA256 (RFC 5869), and makes blind indexes with HMAC-SHA256.
//
// # Decision: the standard library, not Tink
//
// Context: the contract wants ENCRYPTION_KEY to be `id:base64[,id:base64…]`, the
// id of the key in each value, a sealed value bound to its row and column, and an
// index key that is kept in the store and does not change with ENCRYPTION_KEY.
//
// Choice: crypto/cipher, crypto/hkdf and crypto/hmac. Tink brings keysets in a
// format of its own, which would have to be built from our list at each start
// only to hide the key ids that we need in the open, and 20 packages. What is left
// to ourselves is one nonce and one prefix.
//
// What would change our mind: keys held in a KMS or an HSM, for which Tink has
// the adapters; or more than 2^32 values sealed under one key, where random nonces
// of 96 bits become too short (NIST SP 800-38D section 8.3) and XAES-256-GCM is due.
//
// # The stored form
//
//	enc:<key id>:<base64url of nonce and ciphertext>   sealed
//	clr:<text>                                         in clear, and begins with enc: or clr:
//	<text>                                             in clear
//
// The associated data is the place, `table/column/id`, so that a value which was
// moved does not open. A service that has a key still opens what was stored in
// clear before it had one, and Stale tells these apart; so whoever can write to
// the database can put a clear value in place of a sealed one. Where that would
// matter (signing keys) FromSecret gives a Sealer that opens sealed values only.
package cipher
