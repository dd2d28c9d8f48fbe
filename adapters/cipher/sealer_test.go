package cipher_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
)

const place = "users/email/usr_1"

func sealer(tb testing.TB, keys string) *cipher.Sealer {
	tb.Helper()
	return cipher.New(parse(tb, keys), system.Random{})
}

// values are what is sealed, also those that look like a stored form.
func values() []string {
	return []string{
		"a", "alice@example.com", "schlüssel", "\x00\xff", strings.Repeat("x", 10_000), " ",
		"enc:", "enc:1:AAAA", "enc:x", "clr:", "clr:a", "clr:enc:a", "clr:clr:clr:", "ENC:1:AAAA", "xenc:",
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*cipher.Sealer{
		"sealed":  sealer(t, "a:"+key(1)),
		"plainly": sealer(t, ""),
		"secret":  cipher.FromSecret("a secret of some length", "signing keys", system.Random{}),
	} {
		for _, plain := range append(values(), "") {
			stored := s.Seal(plain, place)
			if opened, err := s.Open(stored, place); err != nil || opened != plain {
				t.Errorf("%s: Open(Seal(%q)) = %q, %v", name, plain, opened, err)
			}
			if s.Stale(stored) {
				t.Errorf("%s: Seal(%q) is stale at once", name, plain)
			}
			if plain == "" && stored != "" {
				t.Errorf("%s: an empty value became %q", name, stored)
			}
		}
	}
}

func TestStoredForm(t *testing.T) {
	t.Parallel()
	s := sealer(t, "b:"+key(2)+",a:"+key(1))
	stored := s.Seal("alice@example.com", place)
	body, found := strings.CutPrefix(stored, "enc:b:")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if !found || err != nil || len(raw) != 12+len("alice@example.com")+16 {
		t.Errorf("stored as %q", stored)
	}
	if s.Seal("alice@example.com", place) == stored {
		t.Error("sealed twice the same: the nonce is not new")
	}
	if plainly := sealer(t, "").Seal("alice@example.com", place); plainly != "alice@example.com" {
		t.Errorf("in plainly it is %q", plainly)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	s := sealer(t, "a:"+key(1))
	stored := s.Seal("alice@example.com", place)
	body := strings.TrimPrefix(stored, "enc:a:")
	tail := s.Seal("1234", place) // 32 bytes: the last letter carries 4 bits and is one of AEIMQUYcgkosw048
	twin := sealer(t, "a:"+key(2)).Seal("alice@example.com", place)
	for name, c := range map[string]struct {
		stored, place string
		want          error
	}{
		"other row":          {stored, "users/email/usr_2", cipher.ErrAltered},
		"other column":       {stored, "users/name/usr_1", cipher.ErrAltered},
		"no place":           {stored, "", cipher.ErrAltered},
		"other bytes of key": {twin, place, cipher.ErrAltered},
		"unknown key":        {"enc:zz:" + body, place, cipher.ErrUnknownKey},
		"no key id":          {"enc::" + body, place, cipher.ErrAltered},
		"odd key id":         {"enc:a b:" + body, place, cipher.ErrAltered},
		"no body":            {"enc:a:", place, cipher.ErrAltered},
		"no colon":           {"enc:a", place, cipher.ErrAltered},
		"prefix only":        {"enc:", place, cipher.ErrAltered},
		"nonce only":         {"enc:a:" + body[:16], place, cipher.ErrAltered},
		"short of a nonce":   {"enc:a:" + body[:8], place, cipher.ErrAltered},
		"cut":                {stored[:len(stored)-4], place, cipher.ErrAltered},
		"longer":             {stored + "AAAA", place, cipher.ErrAltered},
		"padded":             {stored + "=", place, cipher.ErrAltered},
		"line break":         {stored[:10] + "\n" + stored[10:], place, cipher.ErrAltered},
		"tail bits":          {tail[:len(tail)-1] + string(tail[len(tail)-1]+1), place, cipher.ErrAltered},
		"not base64":         {stored[:10] + "!" + stored[11:], place, cipher.ErrAltered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, err := s.Open(c.stored, c.place)
			if !errors.Is(err, c.want) || opened != "" {
				t.Errorf("Open = %q, %v; want %v", opened, err, c.want)
			}
			if errors.Is(c.want, cipher.ErrUnknownKey) && !strings.Contains(err.Error(), `"zz"`) {
				t.Errorf("error does not name the key: %v", err)
			}
		})
	}
}

// Every bit of what is sealed is under protection.
func TestEveryBit(t *testing.T) {
	t.Parallel()
	s := sealer(t, "a:"+key(1))
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(s.Seal("secret", place), "enc:a:"))
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(raw) * 8 {
		raw[bit/8] ^= 1 << (bit % 8)
		if opened, err := s.Open("enc:a:"+base64.RawURLEncoding.EncodeToString(raw), place); err == nil {
			t.Errorf("bit %d flipped opens as %q", bit, opened)
		}
		raw[bit/8] ^= 1 << (bit % 8)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	plainly, old := sealer(t, ""), sealer(t, "a:"+key(1))
	both, newest := sealer(t, "b:"+key(2)+",a:"+key(1)), sealer(t, "b:"+key(2))
	for _, plain := range values() {
		for name, before := range map[string]*cipher.Sealer{"plainly": plainly, "old key": old} {
			stored := before.Seal(plain, place)
			opened, err := both.Open(stored, place)
			if err != nil || opened != plain || !both.Stale(stored) {
				t.Errorf("%q under %s: Open = %q, %v; stale %v", plain, name, opened, err, both.Stale(stored))
			}
			again := both.Seal(opened, place)
			if opened, err := newest.Open(again, place); err != nil || opened != plain || newest.Stale(again) || both.Stale(again) {
				t.Errorf("%q sealed again: Open = %q, %v", plain, opened, err)
			}
		}
	}
	if _, err := newest.Open(old.Seal("a", place), place); !errors.Is(err, cipher.ErrUnknownKey) {
		t.Errorf("the old key is gone: %v", err)
	}
	if _, err := plainly.Open(old.Seal("a", place), place); !errors.Is(err, cipher.ErrUnknownKey) || !plainly.Stale(old.Seal("a", place)) {
		t.Errorf("no key at all: %v", err)
	}
	for _, s := range []*cipher.Sealer{plainly, old, both} {
		if s.Stale("") {
			t.Error("an empty value is stale")
		}
	}
}

func TestFromSecret(t *testing.T) {
	t.Parallel()
	s := cipher.FromSecret("secret one", "signing keys", system.Random{})
	stored := s.Seal("private", place)
	if opened, err := cipher.FromSecret("secret one", "signing keys", system.Random{}).Open(stored, place); err != nil || opened != "private" {
		t.Errorf("another replica: %q, %v", opened, err)
	}
	for name, other := range map[string]*cipher.Sealer{
		"other secret":  cipher.FromSecret("secret two", "signing keys", system.Random{}),
		"other purpose": cipher.FromSecret("secret one", "answers", system.Random{}),
		"field key":     sealer(t, key(1)),
	} {
		if _, err := other.Open(stored, place); !errors.Is(err, cipher.ErrUnknownKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, stored := range []string{"private", "clr:private"} {
		if opened, err := s.Open(stored, place); !errors.Is(err, cipher.ErrNotSealed) || !s.Stale(stored) {
			t.Errorf("Open(%q) = %q, %v", stored, opened, err)
		}
	}
	// Another purpose has another key, not only another id.
	other := cipher.FromSecret("secret one", "answers", system.Random{})
	id := strings.Split(other.Seal("x", place), ":")[1]
	if _, err := other.Open("enc:"+id+":"+strings.Split(stored, ":")[2], place); !errors.Is(err, cipher.ErrAltered) {
		t.Errorf("other purpose, id put on: %v", err)
	}
	if strings.Contains(stored, "secret") || strings.Contains(stored, "private") {
		t.Errorf("stored as %q", stored)
	}
}

// still gives the same nonce in every process that fuzzes.
type still struct{}

func (still) Bytes(n int) []byte { return make([]byte, n) }

func FuzzOpen(f *testing.F) {
	s := cipher.New(parse(f, "a:"+key(1)), still{})
	good := s.Seal("secret", place)
	for _, seed := range []string{good, good[:len(good)-1], "enc:a:", "enc::", "clr:x", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stored string) {
		opened, err := s.Open(stored, place)
		if strings.HasPrefix(stored, "enc:") && stored != good && err == nil {
			t.Fatalf("opened %q as %q", stored, opened)
		}
	})
}

func FuzzClear(f *testing.F) {
	for _, plain := range values() {
		f.Add(plain)
	}
	s, keyed := sealer(f, ""), sealer(f, key(1))
	f.Fuzz(func(t *testing.T, plain string) {
		stored := s.Seal(plain, place)
		for _, reader := range []*cipher.Sealer{s, keyed} {
			if opened, err := reader.Open(stored, place); err != nil || opened != plain {
				t.Fatalf("Open(Seal(%q)) = %q, %v", plain, opened, err)
			}
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	s := sealer(b, key(1))
	for b.Loop() {
		s.Seal("alice@example.com", place)
	}
}

func BenchmarkOpen(b *testing.B) {
	s := sealer(b, key(1))
	stored := s.Seal("alice@example.com", place)
	for b.Loop() {
		if _, err := s.Open(stored, place); err != nil {
			b.Fatal(err)
		}
	}
}
