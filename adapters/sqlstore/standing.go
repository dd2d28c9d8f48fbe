package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/ports/outbound"
)

// These statements lock the row of a credential {for key share}. Whatever ends the credential
// locks it {for update}, and so waits. Other changes of the row, such as a rotation, take
// neither lock and do not wait.
const (
	sessionStands = `SELECT id FROM sessions WHERE id = ? AND ended_at IS NULL `
	keyStands     = `SELECT k.id FROM api_keys k JOIN api_key_secrets x ON x.key_id = k.id
		WHERE x.digest = ? AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?)
			AND (x.expires_at IS NULL OR x.expires_at > ?) `
	// machineStands returns whose personal workspace the app is in, "" for none.
	machineStands = `SELECT COALESCE((SELECT w.personal_of FROM workspaces w WHERE w.id = a.org_id), '') FROM apps a JOIN m2m_tokens t ON t.app_id = a.id
		WHERE t.jti = ? AND t.revoked_at IS NULL AND a.enabled AND (a.revoked_before IS NULL OR a.revoked_before <= t.issued_at) `
	grantStands = `SELECT id FROM oauth_grants WHERE id = ? AND ended_at IS NULL `
	ownerStands = `SELECT o.id FROM users o WHERE o.id = ? AND ` + OwnerUsable + `?` + OwnerUsableEnd
)

// stand fails with the refusal of the credential that the context acts by, unless that is still
// valid. If it is, it stays valid until the transaction has ended.
func (t *Tx) stand(ctx context.Context) error {
	by := outbound.ActingOf(ctx)
	if by == nil || t.credentialChecked {
		return nil
	}
	if by.Refused() {
		return by.Refuse()
	}
	stands, err := t.stands(ctx, by)
	if err != nil {
		return fmt.Errorf("look whether the credential stands: %w", err)
	}
	if !stands {
		return by.Refuse()
	}
	t.credentialChecked = true
	return nil
}

func (t *Tx) stands(ctx context.Context, by *outbound.Acting) (bool, error) {
	text, args := sessionStands, []any{by.Session.String()}
	now := t.store.clock.Now()
	switch {
	case by.Key != "":
		text, args = keyStands, []any{by.Key, At(now), At(now)}
	case by.Token != "":
		text, args = machineStands, []any{by.Token}
	case by.Grant != "":
		text, args = grantStands, []any{by.Grant.String()}
	}
	lock := "{for key share}"
	if by.Ends { // two that do wait for each other at once, not in the middle
		lock = "{for update}"
	}
	var found []string
	if err := t.List(ctx, &found, text+lock, args...); err != nil || len(found) == 0 {
		return false, err
	}
	if by.Through != "" {
		var through []string
		if err := t.List(ctx, &through, sessionStands+"{for key share}", by.Through.String()); err != nil || len(through) == 0 {
			return false, err
		}
	}
	for _, source := range by.Sources {
		if err := t.List(ctx, &found, grantStands+"{for key share}", source.String()); err != nil || len(found) == 0 {
			return false, err
		}
	}
	if by.Token == "" || found[0] == "" {
		return true, nil
	}
	// A statement that waited for a lock has read all other rows as they were before it waited.
	var owner []string
	err := t.List(ctx, &owner, ownerStands, found[0], At(now))
	return len(owner) > 0, err
}

// HoldOff waits for the units of work of the credentials in the rows of a table that have
// a value, and makes later ones wait until this transaction has ended. Whoever ends a
// credential does so first.
func (t *Tx) HoldOff(ctx context.Context, table, column, value string) error {
	return t.HoldOffAll(ctx, "SELECT "+column+" FROM "+table+" WHERE "+column+" = ? {for update}", value)
}

// HoldOffAll is HoldOff for the rows that a statement locks.
func (t *Tx) HoldOffAll(ctx context.Context, locking string, args ...any) error {
	var held []string
	if err := t.List(ctx, &held, locking, args...); err != nil {
		return fmt.Errorf("hold off who acts by a credential: %w", err)
	}
	return nil
}
