package password_test

import (
	"fmt"
	"runtime"
	"testing"

	"golang.org/x/crypto/argon2"

	"gatehouse.internal/adapters/password"
	"gatehouse.internal/domain/secret"
)

// heap returns live memory full of pointers, as a server has, since what a
// collection costs depends on it.
func heap(mebibytes int) map[int]*[4]*int {
	live := make(map[int]*[4]*int)
	for i := range mebibytes << 20 / 75 {
		live[i] = &[4]*int{&i}
	}
	return live
}

// BenchmarkArgon2id compares Hash and Verify with the bare function, on all
// cores, without and with 30 MiB of live heap.
func BenchmarkArgon2id(b *testing.B) {
	p := newPasswords(b, password.Defaults())
	plain := secret.New("correct horse battery staple")
	stored, err := p.Hash(b.Context(), plain)
	if err != nil {
		b.Fatal(err)
	}
	work := []struct {
		name string
		do   func() error
	}{
		{"raw", func() error { argon2.IDKey([]byte(plain.Reveal()), make([]byte, 16), 2, 19<<10, 1, 32); return nil }},
		{"Hash", func() error { _, err := p.Hash(b.Context(), plain); return err }},
		{"Verify", func() error { _, err := p.Verify(b.Context(), stored, plain); return err }},
	}
	for _, mebibytes := range []int{0, 30} {
		live := heap(mebibytes)
		for _, w := range work {
			b.Run(fmt.Sprintf("heap of %d MiB/%s", mebibytes, w.name), func(b *testing.B) {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := w.do(); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
		runtime.KeepAlive(live)
	}
}

func BenchmarkImport(b *testing.B) {
	p := newPasswords(b, password.Defaults())
	for name, c := range imported() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Import(c.hash); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEstimate(b *testing.B) {
	s := password.Strength{}
	for name, plain := range hostilePasswords() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Estimate(secret.New(plain), "alice.smith@example.com", "Alice Smith")
			}
		})
	}
}
