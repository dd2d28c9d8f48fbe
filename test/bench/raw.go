package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"

	"golang.org/x/crypto/argon2"
)

// benchRaw prints what the machine can do, one thing after the other.
func benchRaw(ctx context.Context, d *database, o options, r *report) error {
	b, err := newBare(ctx, d, 0)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(b.claims)
	r.printf("\n%s: raw limits, one after the other\n", d.store)
	for _, limit := range []struct {
		name string
		once func() error
	}{
		{"ES256 signature", func() error { _, err := b.sign(digest[:]); return err }},
		{"ES256 verification", func() error { _, err := b.check(); return err }},
		{"Argon2id hash", func() error {
			argon2.IDKey([]byte(memberPassword), digest[:16], argonTime, argonMemory, argonLanes, argonKey)
			return nil
		}},
		{"indexed SELECT", func() error {
			var id, address, name, status string
			err := b.find.QueryRowContext(ctx, "nobody").Scan(&id, &address, &name, &status)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}},
		{"commit", func() error { _, err := b.store.ExecContext(ctx, rand.Text(), ""); return err }},
	} {
		n, began := 0, time.Now()
		for time.Since(began) < o.window {
			if err := limit.once(); err != nil {
				return err
			}
			n++
		}
		each := time.Since(began) / time.Duration(n)
		r.printf("%-18s %10s  %9.0f/s\n", limit.name, millis(each), float64(time.Second)/float64(each))
	}
	return nil
}
