package users

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// importBatch is how many rows share a commit. On SQLite all other changes wait for it, for at
// most 50 ms.
const importBatch = 15

// What became of a row.
const (
	statusImported = "imported"
	statusUpdated  = "updated"
	statusSkipped  = "skipped"
	statusFailed   = "failed"
)

// outcome is what became of a row.
type outcome struct {
	status     string
	user       user.ID
	complaints []fault.Field
}

func failed(complaints ...fault.Field) outcome {
	return outcome{status: statusFailed, complaints: complaints}
}

// importedRow is a sound row, the names its fields came under, and where its
// outcome goes.
type importedRow struct {
	row    ImportRow
	theirs names
	report *outcome
}

// rowStore stores rows of one call.
type rowStore struct {
	*Service

	caller     access.Caller
	onConflict string
	// invites reports whether the owners of new accounts are mailed.
	invites bool
}

// all stores rows in the order of their addresses, so that two imports of the
// same people wait for each other and seldom in a circle: by external ids they can.
// A batch that got into one is undone, and its rows are stored one by one.
func (r rowStore) all(ctx context.Context, rows []importedRow) error {
	slices.SortStableFunc(rows, func(a, b importedRow) int {
		return strings.Compare(a.row.Email.Folded(), b.row.Email.Folded())
	})
	for batch := range slices.Chunk(rows, importBatch) {
		err := r.together(ctx, batch)
		if errors.Is(err, aggregate.ErrConflict) {
			err = r.some(ctx, batch)
		}
		if err != nil {
			return fmt.Errorf("import accounts: %w", err)
		}
	}
	return nil
}

// together stores a batch in one commit, each row in a savepoint of its own: after
// a crash there are whole rows alone.
func (r rowStore) together(ctx context.Context, batch []importedRow) error {
	var broken error
	err := r.Transactions.Within(ctx, func(ctx context.Context) bool {
		broken = r.some(ctx, batch)
		return broken == nil
	})
	return errors.Join(broken, err)
}

func (r rowStore) some(ctx context.Context, batch []importedRow) error {
	for _, one := range batch {
		done, err := r.one(ctx, one.row)
		if err != nil {
			return err
		}
		one.theirs.translate(done.complaints)
		*one.report = done
	}
	return nil
}

// one stores a row; its error is the store's alone.
func (r rowStore) one(ctx context.Context, row ImportRow) (outcome, error) {
	made, err := r.add(ctx, row)
	taken := errors.Is(err, user.ErrEmailTaken) || errors.Is(err, user.ErrExternalTaken)
	switch {
	case err == nil:
		return outcome{status: statusImported, user: made}, nil
	case taken && (r.onConflict == "" || r.onConflict == onConflictSkip):
		return outcome{status: statusSkipped}, nil
	case errors.Is(err, user.ErrEmailTaken) && r.onConflict == onConflictUpdate:
		return r.update(ctx, row)
	default:
		return refused(err)
	}
}

// refused makes an outcome of what a rule said against a row.
func refused(err error) (outcome, error) {
	if fault.From(err).Code == fault.Internal {
		return outcome{}, err
	}
	return failed(fieldsOf(err)...), nil
}

func (r rowStore) add(ctx context.Context, row ImportRow) (user.ID, error) {
	var made account.NewAccount
	err := r.Unit.Do(ctx, func(tx Repos) error {
		var err error
		made, err = account.Create(ctx, tx.accounts(), r.IDs, account.Draft{
			Email: row.Email, Verified: row.EmailVerified, DisplayName: string(row.DisplayName),
			Hash: row.PasswordHash.Reveal(), ExternalID: string(row.ExternalID), Metadata: row.Metadata,
		}, r.Clock.Now())
		if err != nil {
			return err
		}
		return invite(ctx, tx, made, r.invites)
	})
	if err != nil {
		return "", err
	}
	return made.User.ID(), nil
}

// update changes the account of the row's address by what the row says. What it
// does not say stays, and so do failure counter, lock and superadmin.
func (r rowStore) update(ctx context.Context, row ImportRow) (outcome, error) {
	done := outcome{}
	err := r.Unit.Do(ctx, func(tx Repos) error {
		u, err := tx.Users.ByEmail(ctx, row.Email)
		if err != nil {
			return err
		}
		reach := account.Managed
		if row.admits(u.Snapshot()) {
			reach = account.Entrusted
		}
		if u, err = reach(ctx, tx.Users, r.caller, u.ID()); err != nil {
			return err
		}
		done = outcome{status: statusSkipped, user: u.ID()}
		if err := r.profile(u, row); err != nil {
			return err
		}
		if u.Changed() {
			done.status = statusUpdated
		}
		rehashed, err := r.rehash(ctx, tx, u.ID(), row.PasswordHash.Reveal())
		switch {
		case err != nil:
			return err
		case !rehashed:
			return saveChanged(ctx, tx, u)
		}
		done.status = statusUpdated
		_, err = tx.End(ctx, u, account.EndOptions{Reason: session.ByPasswordChange}, r.Clock.Now())
		return err
	})
	if err != nil {
		return refused(err)
	}
	return done, nil
}

// admits reports whether a row lets somebody else into an account: who knows the password
// does, and who comes from a provider with an address that is verified from now on.
func (r ImportRow) admits(account user.Snapshot) bool {
	return r.PasswordHash.Reveal() != "" || (r.EmailVerified && !account.EmailVerified)
}

func (r rowStore) profile(u *user.User, row ImportRow) error {
	now, patch := r.Clock.Now(), user.Profile{}
	if row.DisplayName != "" {
		patch.DisplayName = (*string)(&row.DisplayName)
	}
	if row.ExternalID != "" {
		patch.ExternalID = (*string)(&row.ExternalID)
	}
	u.Update(patch, now)
	if row.EmailVerified {
		u.MarkEmailVerified(now)
	}
	return u.MergeMetadata(row.Metadata, now)
}

// rehash stores a hash that differs from the account's, and reports whether it did.
func (r rowStore) rehash(ctx context.Context, tx Repos, owner user.ID, hash string) (bool, error) {
	if hash == "" {
		return false, nil
	}
	c, err := tx.Credentials.ByUser(ctx, owner)
	if err != nil || c.Hash() == hash {
		return false, err
	}
	c.Import(hash, r.Clock.Now())
	return true, tx.Credentials.Save(ctx, c)
}
