package sqlstore

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
)

// indexKeySize is the length in bytes of the key of blind indexes.
const indexKeySize = 32

// indexKeyID is the row that the index key is sealed for.
const indexKeyID = "1"

// ErrIndexKey says that the key of blind indexes cannot be opened. The key is never replaced,
// because nothing that is stored would be found again.
var ErrIndexKey = errors.New("the index key of the database cannot be decrypted: check that ENCRYPTION_KEY is the one that the database was created with")

// ErrNoInstance says that the row of the instance, which the first start makes, is gone.
var ErrNoInstance = errors.New("the store has no instance")

// indexKey returns the key of blind indexes. The first start creates it together with the row
// of the instance. If several replicas start at once, one of them does.
func (s *Store) indexKey(ctx context.Context) ([]byte, error) {
	q := &Queries{pool: s.write}
	sealed, err := s.storedIndexKey(ctx, q)
	if err != nil {
		return nil, err
	}
	if sealed == "" {
		fresh := base64.StdEncoding.EncodeToString(s.random.Bytes(indexKeySize))
		if _, err := q.Exec(ctx, `INSERT INTO instance (id, revision, index_key) VALUES (1, 1, ?) ON CONFLICT DO NOTHING`,
			s.personal.Seal(fresh, Place("instance", "index_key", indexKeyID))); err != nil {
			return nil, fmt.Errorf("create the instance: %w", err)
		}
		if sealed, err = s.storedIndexKey(ctx, q); err != nil {
			return nil, err
		}
	}
	encoded, err := s.openIndexKey(sealed)
	if err != nil {
		return nil, err
	}
	if encoded == sealed && !s.clear {
		// From now on data is sealed, so that no replica starts without the key.
		if _, err := s.sealIndexKey(ctx, q, sealed, encoded); err != nil {
			return nil, err
		}
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != indexKeySize {
		return nil, ErrIndexKey
	}
	return key, nil
}

// openIndexKey decrypts the stored form of the key.
func (s *Store) openIndexKey(stored string) (string, error) {
	plain, err := s.personal.Open(stored, Place("instance", "index_key", indexKeyID))
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrIndexKey, err)
	}
	return plain, nil
}

// sealIndexKey stores the key sealed under the newest key, unless another replica did so, and
// returns the number of rows that it changed.
func (s *Store) sealIndexKey(ctx context.Context, q *Queries, stored, plain string) (int, error) {
	n, err := q.Exec(ctx, `UPDATE instance SET index_key = ? WHERE id = 1 AND index_key = ?`,
		s.personal.Seal(plain, Place("instance", "index_key", indexKeyID)), stored)
	if err != nil {
		return 0, fmt.Errorf("store the index key: %w", err)
	}
	return int(n), nil
}

// storedIndexKey returns the sealed key, empty before the first start.
func (s *Store) storedIndexKey(ctx context.Context, q *Queries) (string, error) {
	var found []string
	if err := q.List(ctx, &found, `SELECT index_key FROM instance WHERE id = 1`); err != nil {
		return "", fmt.Errorf("read the index key: %w", err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}
