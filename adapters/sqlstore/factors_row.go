package sqlstore

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
)

// SecondFactors opens the stored second factors of an account.
func (s *Store) SecondFactors(owner user.ID, stored string, version int64) (*mfa.Factors, error) {
	content, err := s.personal.Open(stored, Place("second_factors", "content", owner.String()))
	if err != nil {
		return nil, fmt.Errorf("open second factors: %w", err)
	}
	snapshot := mfa.Snapshot{UserID: owner}
	if err := json.Unmarshal([]byte(content), &snapshot); err != nil {
		return nil, fmt.Errorf("decode second factors: %w", err)
	}
	return mfa.Restore(snapshot, version), nil
}
