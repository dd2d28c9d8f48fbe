package password_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zitadel/passwap/bcrypt"
	"golang.org/x/crypto/argon2"

	"gatehouse.internal/adapters/password"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// cheap keeps the tests quick; what it tests does not depend on the costs.
func cheap() password.Settings { return password.Settings{Memory: 1 << 10, Time: 1, Threads: 1} }

func newPasswords(tb testing.TB, s password.Settings) *password.Passwords {
	tb.Helper()
	made, err := password.New(s, system.Random{})
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

func hash(t *testing.T, p *password.Passwords, plain string) string {
	t.Helper()
	hashed, err := p.Hash(t.Context(), secret.New(plain))
	if err != nil {
		t.Fatal(err)
	}
	return hashed
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	stored := hash(t, p, "correct horse")
	for plain, match := range map[string]bool{"correct horse": true, "correct horsf": false, "Correct horse": false, "": false, "correct horse ": false} {
		verdict, err := p.Verify(t.Context(), stored, secret.New(plain))
		if err != nil || verdict.Match != match || verdict.Upgraded != "" {
			t.Errorf("Verify(%q) = %+v, %v; want match %v and no upgrade", plain, verdict, err, match)
		}
	}
	if again := hash(t, p, "correct horse"); again == stored {
		t.Error("two hashes of one password are the same: no salt")
	}
}

// Hashes say their settings, and their keys are Argon2id by them.
func TestHashIsArgon2id(t *testing.T) {
	t.Parallel()
	for _, s := range []password.Settings{
		password.Defaults(),
		cheap(),
		{Memory: 1<<10 + 3, Time: 2, Threads: 1},
		{Memory: 2<<10 + 5, Time: 1, Threads: 3},
		{Memory: 4 << 10, Time: 3, Threads: 4},
	} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			t.Parallel()
			p := newPasswords(t, s)
			for _, plain := range []string{"first", "second", strings.Repeat("long", 200), ""} {
				parts := strings.Split(hash(t, p, plain), "$")
				if want := fmt.Sprintf("m=%d,t=%d,p=%d", s.Memory, s.Time, s.Threads); len(parts) != 6 || parts[1] != "argon2id" || parts[2] != "v=19" || parts[3] != want {
					t.Fatalf("hash is %q", parts)
				}
				salt, key := decode(t, parts[4]), decode(t, parts[5])
				if want := argon2.IDKey([]byte(plain), salt, s.Time, s.Memory, s.Threads, 32); !bytes.Equal(key, want) {
					t.Errorf("key of %q is %x, want %x", plain, key, want)
				}
			}
		})
	}
}

// Hashes made at once are all right.
func TestParallel(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			plain := fmt.Sprintf("password %d", worker)
			for range 10 {
				stored, err := p.Hash(context.Background(), secret.New(plain))
				if err != nil {
					t.Error(err)
					return
				}
				if verdict, err := p.Verify(context.Background(), stored, secret.New(plain)); err != nil || !verdict.Match {
					t.Errorf("Verify = %+v, %v", verdict, err)
				}
			}
		})
	}
	group.Wait()
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	old, today := newPasswords(t, cheap()), newPasswords(t, password.Settings{Memory: 2 << 10, Time: 1, Threads: 1})
	stored := hash(t, old, "correct horse")
	wrong, err := today.Verify(t.Context(), stored, secret.New("wrong"))
	if err != nil || wrong.Match || wrong.Upgraded != "" {
		t.Errorf("Verify of a wrong password = %+v, %v", wrong, err)
	}
	verdict, err := today.Verify(t.Context(), stored, secret.New("correct horse"))
	if err != nil || !verdict.Match || !strings.Contains(verdict.Upgraded, "$m=2048,") {
		t.Fatalf("Verify = %+v, %v; want an upgrade", verdict, err)
	}
	again, err := today.Verify(t.Context(), verdict.Upgraded, secret.New("correct horse"))
	if err != nil || !again.Match || again.Upgraded != "" {
		t.Errorf("Verify of the upgrade = %+v, %v", again, err)
	}
}

func TestNoHash(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	for _, plain := range []string{"", "x", strings.Repeat("x", 2000)} {
		if verdict, err := p.Verify(t.Context(), "", secret.New(plain)); err != nil || verdict.Match || verdict.Upgraded != "" {
			t.Errorf("Verify of no hash = %+v, %v", verdict, err)
		}
	}
}

// Without a hash the work must be that of a comparison. The two take turns, and
// alone, for the machine may be busy; missing work would be a factor of 1000.
func TestNoHashTakesAsLong(t *testing.T) { //nolint:paralleltest // measures time
	p := newPasswords(t, password.Defaults())
	best := map[string]time.Duration{hash(t, p, "correct horse"): time.Hour, "": time.Hour}
	for range 5 {
		for stored := range best {
			start := time.Now()
			if verdict, err := p.Verify(t.Context(), stored, secret.New("wrong")); err != nil || verdict.Match {
				t.Fatalf("Verify = %+v, %v", verdict, err)
			}
			best[stored] = min(best[stored], time.Since(start))
		}
	}
	for stored, took := range best {
		if took > 3*best[""] || best[""] > 3*took {
			t.Errorf("%v without a hash, %v with %q", best[""], took, stored)
		}
	}
}

// A right guess at an outdated hash makes a new one; a wrong guess must take as
// long, or the time tells them apart, also while the account is locked.
func TestWrongGuessTakesAsLong(t *testing.T) { //nolint:paralleltest // measures time
	stored := hash(t, newPasswords(t, cheap()), "correct horse")
	p := newPasswords(t, password.Defaults())
	best := map[string]time.Duration{"correct horse": time.Hour, "wrong": time.Hour}
	for range 5 {
		for plain := range best {
			start := time.Now()
			if verdict, err := p.Verify(t.Context(), stored, secret.New(plain)); err != nil || verdict.Match != (plain != "wrong") {
				t.Fatalf("Verify = %+v, %v", verdict, err)
			}
			best[plain] = min(best[plain], time.Since(start))
		}
	}
	if right, wrong := best["correct horse"], best["wrong"]; right > 3*wrong || wrong > 3*right {
		t.Errorf("%v for the right password, %v for a wrong one", right, wrong)
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	longest := strings.Repeat("\U0001F600", 256)
	if verdict, err := p.Verify(t.Context(), hash(t, p, longest), secret.New(longest)); err != nil || !verdict.Match {
		t.Errorf("256 characters of 4 bytes: %+v, %v", verdict, err)
	}
	if _, err := p.Hash(t.Context(), secret.New(longest+"x")); !errors.Is(err, password.ErrTooLong) {
		t.Errorf("Hash of 1025 bytes: %v", err)
	}
	// bcrypt ends at 72 bytes: what follows would match, were it not refused.
	imported, err := bcrypt.New(4, nil).Hash(longest[:72])
	if err != nil {
		t.Fatal(err)
	}
	for plain, match := range map[string]bool{longest: true, longest + "x": false} {
		if verdict, err := p.Verify(t.Context(), imported, secret.New(plain)); err != nil || verdict.Match != match {
			t.Errorf("Verify of %d bytes = %+v, %v; want %v", len(plain), verdict, err, match)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []password.Settings{
		{},
		{Memory: 1023, Time: 1, Threads: 1},
		{Memory: 256<<10 + 1, Time: 1, Threads: 1},
		{Memory: 1 << 10, Time: 0, Threads: 1},
		{Memory: 1 << 10, Time: 17, Threads: 1},
		{Memory: 1 << 10, Time: 1, Threads: 0},
		{Memory: 1 << 10, Time: 1, Threads: 17},
		{Memory: 256 << 10, Time: 5, Threads: 1},
	} {
		if _, err := password.New(s, system.Random{}); !errors.Is(err, password.ErrSettings) {
			t.Errorf("New(%+v): %v", s, err)
		}
	}
}

// With every core taken, a call waits no longer than its context.
func TestWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, password.Settings{Memory: 64 << 10, Time: 8, Threads: 1})
	var group sync.WaitGroup
	// More than there is room for, so that on a busy machine too some are before us.
	for range 4 * runtime.GOMAXPROCS(0) {
		group.Go(func() { _, _ = p.Hash(context.Background(), secret.New("busy")) })
	}
	time.Sleep(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Hash(ctx, secret.New("waiting")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Hash: %v", err)
	}
	if _, err := p.Verify(ctx, "", secret.New("waiting")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Verify: %v", err)
	}
	group.Wait()
}

func TestFaultsAreValidation(t *testing.T) {
	t.Parallel()
	for _, err := range []error{password.ErrUnknownHash, password.ErrHashCost, password.ErrTooLong} {
		if code := fault.From(err).Code; code != fault.Validation {
			t.Errorf("%v has code %s", err, code)
		}
	}
	if code := fault.From(password.ErrStoredHash).Code; code != fault.Internal {
		t.Errorf("ErrStoredHash has code %s", code)
	}
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}
