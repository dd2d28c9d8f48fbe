package password

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/zitadel/passwap"
	"github.com/zitadel/passwap/verifier"
	"golang.org/x/sync/semaphore"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// maxPlain bounds a password, in bytes: 256 characters (contract section 4) of
// four bytes each. The cost of some imported hashes grows with its square.
const maxPlain = 1024

// maxHash bounds a stored hash, in bytes.
const maxHash = 512

// Refusals of this package.
var (
	// ErrUnknownHash is the refusal of a hash to import.
	ErrUnknownHash = fault.New(fault.Validation, "the password hash has a form that is not known")
	// ErrHashCost is the refusal of a hash to import that costs too much to
	// verify, or so little that it protects nothing.
	ErrHashCost = fault.New(fault.Validation, "the password hash has costs outside the bounds that are verified")
	// ErrTooLong is the refusal to hash a password of more than 1024 bytes.
	ErrTooLong = fault.New(fault.Validation, "the password is longer than 1024 bytes")
	// ErrStoredHash is the failure to verify against a stored hash that Recognize
	// would have refused. It is an internal error.
	ErrStoredHash = errors.New("a stored password hash is of no known form or outside the bounds of cost")
)

// Passwords hashes and verifies, at most one password for each core at a time.
type Passwords struct {
	hasher  *hasher
	swapper *passwap.Swapper
	formats []format
	running *semaphore.Weighted
	// unmatched is what a password is compared with where there is no hash.
	unmatched string
}

var _ outbound.Passwords = (*Passwords)(nil)

// New makes Passwords that hash with these settings. It fails with ErrSettings.
func New(s Settings, random outbound.Random) (*Passwords, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &Passwords{
		hasher:  newHasher(s, random),
		formats: formats(),
		running: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
	}
	verifiers := make([]verifier.Verifier, 0, len(p.formats))
	for _, f := range p.formats {
		verifiers = append(verifiers, f.verifier)
	}
	p.swapper = passwap.NewSwapper(p.hasher, verifiers...)
	p.unmatched = p.hasher.unmatched()
	return p, nil
}

// Hash gives an Argon2id hash in PHC string form. It fails with ErrTooLong, or
// when the context ends before a core is free.
func (p *Passwords) Hash(ctx context.Context, plain secret.String) (string, error) {
	if len(plain.Reveal()) > maxPlain {
		return "", ErrTooLong
	}
	if err := p.running.Acquire(ctx, 1); err != nil {
		return "", fmt.Errorf("wait to hash a password: %w", err)
	}
	defer p.running.Release(1)
	hash, err := p.swapper.Hash(plain.Reveal())
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// Verify compares a password with a stored hash. Without a hash, and with a
// password longer than Hash takes, it does the work of a comparison and answers
// no match. It fails with ErrStoredHash, or when the context ends before a core
// is free. An upgrade is hashed in the same turn.
func (p *Passwords) Verify(ctx context.Context, hash string, plain secret.String) (outbound.PasswordVerdict, error) {
	text := plain.Reveal()
	if hash == "" || len(text) > maxPlain {
		hash, text = p.unmatched, text[:min(len(text), maxPlain)]
	}
	if p.Recognize(hash) != nil {
		return outbound.PasswordVerdict{}, ErrStoredHash
	}
	if err := p.running.Acquire(ctx, 1); err != nil {
		return outbound.PasswordVerdict{}, fmt.Errorf("wait to verify a password: %w", err)
	}
	defer p.running.Release(1)
	upgraded, err := p.swapper.Verify(hash, text)
	switch {
	case errors.Is(err, passwap.ErrPasswordMismatch):
		p.pad(hash, text)
		return outbound.PasswordVerdict{}, nil
	case err != nil:
		return outbound.PasswordVerdict{}, fmt.Errorf("verify a password: %w", err)
	default:
		return outbound.PasswordVerdict{Match: true, Upgraded: upgraded}, nil
	}
}

// pad does the work of the upgrade that a match with this hash would have had.
// Without it a right guess at an outdated hash would take longer than a wrong
// one, also while the account is locked.
func (p *Passwords) pad(hash, text string) {
	if _, _, today := p.hasher.parse(hash); !today {
		p.hasher.argon.derive([]byte(text), p.hasher.random.Bytes(saltBytes))
	}
}

// Recognize judges a hash to import by its form and costs, in microseconds. It
// fails with ErrUnknownHash or ErrHashCost.
func (p *Passwords) Recognize(hash string) error {
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

// judge tells what a verifier said of a hash whose form is right.
func judge(result verifier.Result, err error) error {
	if _, bounds := errors.AsType[*verifier.BoundsError](err); bounds {
		return ErrHashCost
	}
	if result != verifier.OK {
		return ErrUnknownHash
	}
	return nil
}
