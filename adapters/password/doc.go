// Package password hashes and verifies passwords with Argon2id (RFC 9106),
// verifies hashes imported from elsewhere, and judges how guessable a password is.
//
// # Decision: Argon2id is x/crypto's, called as it is
//
// Context: a hash needs 19 MiB, which x/crypto allocates anew each time. A login costs
// 7 % less processor time where its steps are called by their linker names with memory
// that is kept (25.6 against 27.3 ms, two cores, SQLite).
//
// Choice: argon2.IDKey, and as many hashes at once as there are cores. What is saved
// is not worth a dependence on names that x/crypto does not publish.
//
// What would change our mind: an Argon2 which takes its memory from the caller.
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
//
// # Decision: every answer waits for the slowest form in the store
//
// Context: imported hashes take other times than ours (bcrypt of cost 12: 142 ms with
// its upgrade, against 26), so that the time told whose account was imported, and that
// there is one. The same holds for our own hashes after the settings changed.
//
// Choice: the store tells with each account which forms of hashes it holds (an index of
// them, one seek each), and every comparison is answered when the slowest of them would
// be done. It waits and does no work instead of that: else one imported account would
// make every login, and every guess, cost five times the processor time for as long as it
// stays. How long to wait follows the load of the moment: each comparison hashes once by
// today's settings anyway, and each form is known by how many times as long it takes, as
// measured in turns that did both. The ratio rises at once and falls slowly, so that the
// slowest form itself is rarely later than the others. A form that was not compared since
// the start is measured by whoever comes first, once. The wait begins after the core is
// released, and waiting for a core is the same for all.
//
// What would change our mind: load that slows one form and not the other, such as another
// program that takes all memory bandwidth; then the answers would go out on a fixed beat.
package password
