package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/ports/outbound"
)

// These statements lock the row of a credential {for key share}. Whatever ends the credential
// locks it {for update}, and so waits. Other changes of the row, such as a rotation, take
// neither lock and do not wait.
//
//nolint:gochecknoglobals // they are never changed
var (
	sessionStands = standing(`SELECT s.id FROM sessions s WHERE s.id = ?`, live.Session(liveness.SessionStands))
	keyStands     = standing(`SELECT k.id FROM api_keys k JOIN api_key_secrets x ON x.key_id = k.id WHERE x.digest = ?`, live.Key(liveness.KeyStands))
	// tokenStands returns whose personal workspace the app is in, "" for none.
	tokenStands = standing(`SELECT COALESCE((SELECT w.personal_of FROM workspaces w WHERE w.id = a.org_id), '')
		FROM apps a JOIN m2m_tokens t ON t.app_id = a.id WHERE t.jti = ?`, live.Token(liveness.TokenStands&^liveness.OwnerDisabled))
	// ownerStands reads the owner of that workspace.
	ownerStands = standing(`SELECT o.id FROM users o WHERE o.id = ?`, live.Token(liveness.TokenStands&liveness.OwnerDisabled))
	grantStands = standing(`SELECT g.id FROM oauth_grants g WHERE g.id = ?`, live.Grant(liveness.GrantStands))
)

// stands is a statement that finds one credential, unless somebody ended it.
type stands struct {
	text string
	live live.Condition
}

func standing(found string, live live.Condition) stands {
	return stands{text: found + " AND " + string(live) + " ", live: live}
}

// find returns what the statement finds, and locks it.
func (s stands) find(ctx context.Context, t *Tx, lock, which string) (found []string, err error) {
	args := append([]any{which}, s.live.Args(At(t.store.clock.Now()))...)
	err = t.List(ctx, &found, s.text+lock, args...)
	return found, err
}

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

func (t *Tx) stands(ctx context.Context, by *outbound.ActingCredential) (bool, error) {
	statement, which := sessionStands, by.Session.String()
	switch {
	case by.Key != "":
		statement, which = keyStands, by.Key
	case by.Token != "":
		statement, which = tokenStands, by.Token
	case by.Grant != "":
		statement, which = grantStands, by.Grant.String()
	}
	lock := shared
	if by.Ends { // two that do wait for each other at once, not in the middle
		lock = "{for update}"
	}
	found, err := statement.find(ctx, t, lock, which)
	if err != nil || len(found) == 0 {
		return false, err
	}
	if by.Through != "" {
		through, err := sessionStands.find(ctx, t, shared, by.Through.String())
		if err != nil || len(through) == 0 {
			return false, err
		}
	}
	for _, source := range by.Sources {
		sources, err := grantStands.find(ctx, t, shared, source.String())
		if err != nil || len(sources) == 0 {
			return false, err
		}
	}
	if by.Token == "" || found[0] == "" {
		return true, nil
	}
	// A statement that waited for a lock has read all other rows as they were before it waited.
	owner, err := ownerStands.find(ctx, t, "", found[0])
	return len(owner) > 0, err
}

// shared locks a credential against its end, not against other units of work.
const shared = "{for key share}"

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
