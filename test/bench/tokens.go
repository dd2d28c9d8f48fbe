package main

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/crypt"
)

const (
	// tokenLife is the longest there is: stored tokens are not to expire meanwhile.
	tokenLife = 24 * time.Hour
	// revokedOneIn is how many stored tokens one that was revoked comes on.
	revokedOneIn = 10
)

// issues are the M2M tokens of a filled store. Like people, each follows from its
// number; they were issued to the apps in turn.
type issues struct {
	people *people
	apps   []registered
	// org is the workspace of the apps.
	org, issuer string
}

func (s *issues) token(k int) m2m.Issued {
	plain, at := s.people.uuid("jti", k, s.people.tokens), s.people.when(k, s.people.tokens)
	text := hex.EncodeToString(plain[:])
	return m2m.Issued{
		JTI:   strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-"),
		App:   app.ID(s.apps[k%len(s.apps)].id),
		Scope: machineScope, Audience: s.issuer, IssuedAt: at, ExpiresAt: at.Add(tokenLife),
	}
}

func revoked(k int) bool { return k%revokedOneIn == revokedOneIn-1 }

func (s *issues) table() table {
	return table{
		"m2m_tokens", columns(`jti app_id scope audience jkt issued_at expires_at revoked_at`),
		func(yield func([]any) bool) {
			for k := range s.people.tokens {
				t, ended := s.token(k), any(nil)
				if revoked(k) {
					ended = t.IssuedAt.Add(time.Second)
				}
				if !yield([]any{t.JTI, t.App.String(), t.Scope, t.Audience, t.JKT, t.IssuedAt, t.ExpiresAt, ended}) {
					return
				}
			}
		},
	}
}

func (i *instance) storedTokens() *issues {
	return &issues{people: i.people, apps: i.apps, org: i.org, issuer: i.issuer}
}

// storeTokens fills the store with the population's tokens, and signs a sample
// from all over them of those that are good.
func (i *instance) storeTokens(ctx context.Context, sample int) error {
	stored := i.storedTokens()
	return i.db.onOne(ctx, func(conn *sql.Conn) error {
		into := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		if err := into.all(ctx, []table{stored.table()}); err != nil {
			return err
		}
		key, err := signingKey(ctx, conn, i.workshop.secret)
		if err != nil {
			return err
		}
		i.tokens, err = stored.sign(key, sample)
		return err
	})
}

// sign returns the texts of a number of tokens.
func (s *issues) sign(key crypt.SigningKey, sample int) ([]string, error) {
	access := token.Access{Issuer: s.issuer}
	texts := make([]string, sample)
	for n := range texts {
		k := n * s.people.tokens / sample
		if revoked(k) {
			k--
		}
		payload, err := access.MachinePayload(s.token(k), s.apps[k%len(s.apps)].slug, workspace.ID(s.org), nil)
		if err != nil {
			return nil, err
		}
		signed, err := key.Sign("at+jwt", payload)
		if err != nil {
			return nil, fmt.Errorf("sign a token: %w", err)
		}
		texts[n] = string(signed)
	}
	return texts, nil
}

// signingKey is the one that the instance signs by; it is kept sealed.
func signingKey(ctx context.Context, conn *sql.Conn, secret string) (crypt.SigningKey, error) {
	var kid, algorithm, sealed string
	err := conn.QueryRowContext(ctx, `SELECT kid, algorithm, private FROM signing_keys
		WHERE activated_at IS NOT NULL AND overlap_until IS NULL AND revoked_at IS NULL`).Scan(&kid, &algorithm, &sealed)
	if err != nil {
		return nil, fmt.Errorf("read the signing key: %w", err)
	}
	sealer := cipher.FromSecret(secret, "gatehouse signing keys", system.Random{})
	encoded, err := sealer.Open(sealed, "signing_keys/private/"+kid)
	if err != nil {
		return nil, fmt.Errorf("open the signing key: %w", err)
	}
	private, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("open the signing key: %w", err)
	}
	return jose.JOSE{}.Load(kid, algorithm, private)
}
