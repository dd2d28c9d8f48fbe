// Package password hashes and verifies passwords with Argon2id (RFC 9106),
// verifies hashes imported from elsewhere, and judges how guessable a password is.
//
// # Decision: Argon2id works in memory that is kept
//
// Context: a hash needs 19 MiB, and x/crypto allocates them anew each time. That
// starts a garbage collection every second hash or so. Measured on two cores with
// two hashes at a time, in CPU per hash: 18 ms with a live heap of nothing, 20 to
// 23 ms with one of 5 MiB, 30 ms with one of 21 MiB, since each collection marks
// that heap. A larger GOGC or a ballast trades the marking for page faults (25 to
// 35 ms). Logins must reach 0.85 of what bare Argon2id does.
//
// Choice: the steps of x/crypto's own Argon2 (first hash, filling, final hash) are
// called by their linker names with a buffer from a sync.Pool: 18 ms whatever the
// heap, no garbage, and the buffer is wiped after use. The algorithm is x/crypto's,
// with its assembly; ours are the 20 lines between. If an upgrade of x/crypto
// renames a step, linking fails; if it changes what a step does, the test against
// argon2.IDKey fails.
//
// What would change our mind: an Argon2 in the standard library or in x/crypto
// which takes its memory from the caller, or a change of the Go linker which
// forbids this; then the buffers go and a ballast of 64 MiB is next best.
//
// # Decision: which imported hashes are taken
//
// Those of passwap that say what they are: argon2i, argon2id, bcrypt, scrypt,
// pbkdf2, phpass, drupal7, md5-crypt, salted MD5, sha256-crypt and sha512-crypt.
// The weak ones are taken because refusing them leaves their owners no better off:
// the first login replaces them. A bare hexadecimal digest (MD5 without salt) is
// refused: nothing in it tells one algorithm from another, so that a wrong import
// would only show as everybody's wrong password.
//
// passwap trusts a hash once it is stored, reads them loosely (trailing text, a
// hash of one byte, "$2") and bounds each cost by itself. So one table here holds
// the exact form of each and a bound on the product of its costs, about one second
// of one core, and both the import and every verification go through it.
package password
