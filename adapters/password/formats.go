package password

import (
	"regexp"
	"strconv"

	"github.com/zitadel/passwap/argon2"
	"github.com/zitadel/passwap/bcrypt"
	"github.com/zitadel/passwap/drupal7"
	"github.com/zitadel/passwap/md5"
	"github.com/zitadel/passwap/md5salted"
	"github.com/zitadel/passwap/pbkdf2"
	"github.com/zitadel/passwap/phpass"
	"github.com/zitadel/passwap/scrypt"
	"github.com/zitadel/passwap/sha2"
	"github.com/zitadel/passwap/verifier"
)

// format is one kind of stored hash.
type format struct {
	// form is the whole of a hash, with its costs as groups. It asks for at least
	// 4 bytes of salt where the kind leaves its length open, and 16 of hash:
	// with an empty one every password would match.
	form *regexp.Regexp
	// affordable judges the groups together; nil leaves it to the verifier.
	affordable func(groups []string) bool
	verifier   verifier.Verifier
}

// formats lists the kinds of hashes that verify. Their forms exclude each other.
func formats() []format {
	return append(append(modernFormats(), legacyFormats()...), foreignFormats()...)
}

func modernFormats() []format {
	return []format{
		{
			form:       form(`\$argon2(?:i|id)\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{6,86}\$[A-Za-z0-9+/]{22,86}`),
			affordable: affordableArgon2,
			verifier: argon2.NewVerifier(&argon2.ValidationOpts{
				MinTime: 1, MaxTime: maxTime, MinMemory: minImportedMemory, MaxMemory: maxMemory, MinThreads: 1, MaxThreads: maxThreads,
			}),
		},
		{
			form:     form(`\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}`),
			verifier: bcrypt.NewVerifier(bcryptBounds()),
		},
		{
			form:       form(`\$(?:scrypt|7)\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{6,86}\$[A-Za-z0-9+/]{22,86}`),
			affordable: affordableScrypt,
			verifier: scrypt.NewVerifier(&scrypt.ValidationOpts{
				MinLN: 10, MaxLN: 17, MinR: 1, MaxR: 32, MinP: 1, MaxP: 16,
			}),
		},
		{
			form:       form(`\$pbkdf2(|-sha224|-sha256|-sha384|-sha512)\$(\d{4,7})\$[A-Za-z0-9+/.]{6,86}={0,2}\$([A-Za-z0-9+/.]{22,86})={0,2}`),
			affordable: affordablePBKDF2,
			verifier:   pbkdf2.NewVerifier(nil),
		},
		{
			form:     form(`\$5\$(?:rounds=\d{4,7}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}`),
			verifier: sha2.NewVerifier(sha2Bounds()),
		},
		{
			form:     form(`\$6\$(?:rounds=\d{4,7}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}`),
			verifier: sha2.NewVerifier(sha2Bounds()),
		},
	}
}

func legacyFormats() []format {
	return []format{
		{
			form:     form(`\$[PH]\$[./A-Za-z0-9]{31}`),
			verifier: phpass.NewVerifier(&phpass.ValidationOpts{MinRounds: 7, MaxRounds: 20}),
		},
		{
			form:     form(`\$S\$[./A-Za-z0-9]{52}`),
			verifier: drupal7.NewVerifier(nil),
		},
		{
			form:     form(`\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}`),
			verifier: md5.NewVerifier(),
		},
		{
			form:     form(`\$md5salted-(?:prefix|suffix)\$[!-#%-~]{1,64}\$[A-Za-z0-9+/]{22}==`),
			verifier: md5salted.NewVerifier(),
		},
	}
}

// form compiles a pattern of the whole text.
func form(pattern string) *regexp.Regexp { return regexp.MustCompile(`^` + pattern + `$`) }

func sha2Bounds() *sha2.ValidationOpts {
	const least, most = 1000, 1_000_000
	return &sha2.ValidationOpts{MinSha256Rounds: least, MaxSha256Rounds: most, MinSha512Rounds: least, MaxSha512Rounds: most}
}

// affordableArgon2 bounds imported hashes like our own, but that they may have been made with little memory: they are
// replaced at the first login.
func affordableArgon2(groups []string) bool {
	memory, time, threads := number(groups[0]), number(groups[1]), number(groups[2])
	return threads <= maxThreads && memory >= minImportedMemory && memory >= 8*threads &&
		Settings{Memory: max(memory, minMemory), Time: time, Threads: uint8(threads)}.Validate() == nil // #nosec G115 -- bounded before
}

// affordableScrypt bounds the memory, 128*N*r bytes, to 128 MiB and the work to
// twice what OWASP recommends (N=2^17, r=8, p=1).
func affordableScrypt(groups []string) bool {
	ln, r, p := number(groups[0]), number(groups[1]), number(groups[2])
	return ln <= 17 && r<<ln <= 1<<20 && r<<ln*p <= 1<<21
}

// affordablePBKDF2 bounds the rounds times the blocks of output, each of which
// costs all rounds again (RFC 8018 section 5.2).
func affordablePBKDF2(groups []string) bool {
	const most = 1_500_000
	size := map[string]uint32{"": 20, "-sha224": 28, "-sha256": 32, "-sha384": 48, "-sha512": 64}[groups[0]]
	length := uint32(len(groups[2]) * 3 / 4) // #nosec G115 -- 86 at most
	blocks := (length + size - 1) / size
	return number(groups[1])*blocks <= most
}

// number reads a group of digits that its form keeps below 10 million.
func number(digits string) uint32 {
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 1 << 31 // beyond every bound
	}
	return uint32(n)
}
