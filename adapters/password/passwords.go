package password

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/zitadel/passwap/verifier"
	"golang.org/x/sync/semaphore"
	"golang.org/x/text/unicode/norm"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
)

// maxPlain bounds a password, in bytes: 256 characters (contract section 4) of
// four bytes each. The cost of some imported hashes grows with its square.
const maxPlain = 1024

// maxHash bounds a stored hash, in bytes.
const maxHash = 512

// Refusals of this package.
var (
	// ErrUnknownHash is the refusal of a hash to import.
	ErrUnknownHash = fault.New(fault.Validation, "unsupported password hash format: use Argon2i and Argon2id, bcrypt, scrypt, PBKDF2, SHA-crypt, md5-crypt, "+
		"salted MD5, phpass, and the hashes of WordPress, Drupal 7, Django, ASP.NET Core Identity 3, Firebase ($firescrypt$), Kratos, Better Auth and LDAP ({SSHA})")
	// ErrHashCost is the refusal of a hash to import that costs too much to
	// verify, or so little that it protects nothing.
	ErrHashCost = fault.New(fault.Validation, "the cost of the password hash is outside the supported range")
	// ErrTooLong is the refusal to hash a password of more than 1024 bytes.
	ErrTooLong = fault.New(fault.Validation, "the password is longer than 1,024 bytes")
	// ErrStoredHash is the failure to verify against a stored hash that Import
	// would have refused. It is an internal error.
	ErrStoredHash = errors.New("a stored password hash has an unknown format or an unsupported cost")
)

// Passwords hashes and verifies, at most one password for each core at a time.
type Passwords struct {
	hasher  *hasher
	formats []format
	// notations are translated to formats.
	notations []notation
	running   *semaphore.Weighted
	// unmatched is what a password is compared with where there is no hash.
	unmatched string
	pace      pace
	timed     func(work func()) time.Duration
	wait      func(ctx context.Context, d time.Duration) error
}

var _ crypt.Passwords = (*Passwords)(nil)

// New makes Passwords that hash with these settings. It fails with ErrSettings.
func New(s Settings, random outbound.Random) (*Passwords, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &Passwords{
		hasher:  newHasher(s, random),
		formats: formats(), notations: notations(),
		running: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
		timed:   timed,
		wait:    wait.Owe,
	}
	p.unmatched = p.hasher.unmatched()
	return p, nil
}

// Hash returns an Argon2id hash in PHC string form. It fails with ErrTooLong, or
// when the context ends before a core is free.
func (p *Passwords) Hash(ctx context.Context, plain secret.String) (string, error) {
	if len(plain.Reveal()) > maxPlain {
		return "", ErrTooLong
	}
	if err := p.running.Acquire(ctx, 1); err != nil {
		return "", fmt.Errorf("wait to hash a password: %w", err)
	}
	defer p.running.Release(1)
	hash, err := p.hasher.Hash(plain.Reveal())
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// Verify compares a password with a stored hash: in NFC, and as for imported hashes also as it was typed, and in NFKC,
// as Better Auth hashes it. Without a hash, and with a
// password longer than Hash takes, it does the work of a comparison and answers
// no match. It fails with ErrStoredHash, or when the context ends before a core
// is free. It answers when the slowest of the forms would have been compared too.
func (p *Passwords) Verify(ctx context.Context, hash string, plain secret.String, forms ...string) (crypt.PasswordVerdict, error) {
	text := plain.Reveal()
	if hash == "" || len(text) > maxPlain {
		hash, text = p.unmatched, text[:min(len(text), maxPlain)]
	}
	if p.recognize(hash) != nil {
		return crypt.PasswordVerdict{}, ErrStoredHash
	}
	verdict, owed, err := p.turn(ctx, hash, spellings(text), forms)
	if err != nil {
		return crypt.PasswordVerdict{}, err
	}
	if err := p.wait(ctx, owed); err != nil {
		return crypt.PasswordVerdict{}, fmt.Errorf("answer as late as for any password: %w", err)
	}
	return verdict, nil
}

// turn does the work of a comparison on one core, and returns how much longer that of the
// slowest form would have taken.
func (p *Passwords) turn(ctx context.Context, hash string, spelled []string, forms []string) (crypt.PasswordVerdict, time.Duration, error) {
	if err := p.running.Acquire(ctx, 1); err != nil {
		return crypt.PasswordVerdict{}, 0, fmt.Errorf("wait to verify a password: %w", err)
	}
	defer p.running.Release(1)
	verdict, took, err := p.compare(hash, spelled)
	if err != nil {
		return crypt.PasswordVerdict{}, 0, err
	}
	for _, form := range forms {
		if !p.pace.knows(form) {
			if err := p.measure(form, spelled[0], took.today); err != nil {
				return crypt.PasswordVerdict{}, 0, err
			}
		}
	}
	return verdict, time.Duration(len(spelled)) * (p.pace.slowest(forms, took.today) - took.other), nil
}

// spellings returns what a password is compared as, without repetitions: in NFC first, as our own hashes are made.
func spellings(text string) []string {
	spelled := []string{norm.NFC.String(text)}
	for _, other := range []string{text, norm.NFKC.String(text)} {
		if !slices.Contains(spelled, other) && len(other) <= maxPlain {
			spelled = append(spelled, other)
		}
	}
	return spelled
}

// compare compares a password, and hashes it by today's settings as well, once each time:
// a right guess at an outdated hash brings a new one, and must not take longer than a
// wrong one. For the same reason all spellings are compared with a hash that may have been
// made elsewhere; times are those of one.
func (p *Passwords) compare(hash string, spelled []string) (crypt.PasswordVerdict, times, error) {
	var took times
	var result verifier.Result
	var err error
	if p.today(hash) {
		took.today = p.timed(func() { result, err = p.hasher.Verify(hash, spelled[0]) })
		return crypt.PasswordVerdict{Match: result == verifier.OK}, took, err
	}
	match := false
	took.other = p.timed(func() { match, err = p.matchesAny(hash, spelled) }) / time.Duration(len(spelled))
	if err != nil {
		return crypt.PasswordVerdict{}, took, fmt.Errorf("verify a password: %w", err)
	}
	var fresh string
	took.today = p.timed(func() { fresh, err = p.hasher.Hash(spelled[0]) })
	p.pace.learn(password.Form(hash), took)
	if err != nil || !match {
		return crypt.PasswordVerdict{}, took, err
	}
	return crypt.PasswordVerdict{Match: true, Upgraded: fresh}, took, nil
}

func (p *Passwords) matchesAny(hash string, spelled []string) (match bool, err error) {
	by := p.verifierOf(hash)
	for _, text := range spelled {
		result, err := by.Verify(hash, text)
		if err != nil {
			return false, err
		}
		match = match || result == verifier.OK || result == verifier.NeedUpdate
	}
	return match, nil
}

// measure learns how long a form takes that was not compared since the start.
func (p *Passwords) measure(form, text string, today time.Duration) error {
	sample := password.Sample(form)
	if p.today(sample) || p.recognize(sample) != nil {
		p.pace.learn(form, times{today: today})
		return nil
	}
	var err error
	by := p.verifierOf(sample)
	other := p.timed(func() { _, err = by.Verify(sample, text) })
	if err != nil {
		return fmt.Errorf("measure the form %s: %w", form, err)
	}
	p.pace.learn(form, times{today: today, other: other})
	return nil
}

// today reports whether a hash was made by today's settings.
func (p *Passwords) today(hash string) bool {
	_, _, ours := p.hasher.parse(hash)
	return ours
}

// verifierOf returns what verifies a hash that recognize takes.
func (p *Passwords) verifierOf(hash string) verifier.Verifier {
	at := slices.IndexFunc(p.formats, func(f format) bool { return f.form.MatchString(hash) })
	return p.formats[at].verifier
}

// Import judges a hash to import by its form and costs, in microseconds, and returns it as
// it is to be stored. It fails with ErrUnknownHash or ErrHashCost.
func (p *Passwords) Import(hash string) (string, error) {
	if len(hash) > maxHash {
		return "", ErrUnknownHash
	}
	stored := translated(hash, p.notations)
	if err := p.recognize(stored); err != nil {
		return "", err
	}
	return stored, nil
}

// recognize judges a hash as it is stored.
func (p *Passwords) recognize(hash string) error {
	if len(hash) > maxHash {
		return ErrUnknownHash
	}
	if result, _ := p.hasher.Validate(hash); result == verifier.OK {
		return nil
	}
	for _, f := range p.formats {
		groups := f.form.FindStringSubmatch(hash)
		if groups == nil {
			continue
		}
		if f.affordable != nil && !f.affordable(groups[1:]) {
			return ErrHashCost
		}
		return judge(f.verifier.Validate(hash))
	}
	return ErrUnknownHash
}

// judge translates the verdict of a verifier on a hash whose form is right.
func judge(result verifier.Result, err error) error {
	if _, bounds := errors.AsType[*verifier.BoundsError](err); bounds {
		return ErrHashCost
	}
	if result != verifier.OK {
		return ErrUnknownHash
	}
	return nil
}
