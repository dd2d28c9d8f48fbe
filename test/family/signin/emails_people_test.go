package signin_test

import (
	"context"
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

// queue asks for notices to somebody.
func queue(t *testing.T, h *harness.Service, to *harness.Actor, many int) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
	err := unit.Do(t.Context(), func(tx *sqlstore.Tx) error {
		for range many {
			ask := mail.Request{Template: mail.Notice, UserID: user.ID(to.UserID), Facts: map[string]string{"headline": "News"}}
			if err := tx.Mails().Queue(context.Background(), ask); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
