package people

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Users returns the repository of accounts.
func Users(tx *sqlstore.Tx) people.Users { return users{tx} }

type users struct{ tx *sqlstore.Tx }

// ByID reads one account.
func (r users) ByID(ctx context.Context, id user.ID) (*user.User, error) {
	return r.one(ctx, "id = ?", id.String())
}

// ByEmail reads the account of an address, however that is spelled.
func (r users) ByEmail(ctx context.Context, address email.Address) (*user.User, error) {
	return r.one(ctx, "email_index = ?", r.tx.Store().EmailIndex(address))
}

// ByExternalID reads the account of an external id.
func (r users) ByExternalID(ctx context.Context, externalID string) (*user.User, error) {
	return r.one(ctx, "external_index = ?", r.tx.Store().ExternalIndex(externalID))
}

func (r users) one(ctx context.Context, which string, value any) (*user.User, error) {
	var found sqlstore.UserRow
	err := r.tx.One(ctx, &found, user.ErrNotFound, "SELECT "+sqlstore.UserColumns+" FROM users WHERE "+which, value)
	if err != nil {
		return nil, err
	}
	snapshot, err := r.tx.Store().UserSnapshot(&found)
	if err != nil {
		return nil, err
	}
	return user.Restore(snapshot, found.Version), nil
}

// Save stores an account. On PostgreSQL a failed statement aborts the transaction, so none may
// fail because a unique value is taken: an INSERT inserts nothing, and an UPDATE is tried first
// on the condition that it changes no unique value, and then in a savepoint.
func (r users) Save(ctx context.Context, u *user.User) error {
	snapshot := u.Snapshot()
	state, err := userState(r.tx.Store(), snapshot)
	if err != nil {
		return err
	}
	unique := sqlstore.Row{
		{"email_index", r.tx.Store().EmailIndex(snapshot.Email)},
		{"external_index", r.tx.Store().ExternalIndex(snapshot.ExternalID)},
	}
	if u.Altered() {
		state = append(state, sqlstore.Cell{"searched_at", sqlstore.At(snapshot.UpdatedAt)})
	}
	n, err := r.write(ctx, u, state, unique)
	if err != nil {
		return fmt.Errorf("save an account: %w", err)
	}
	if n == 0 {
		return r.refusal(ctx, snapshot)
	}
	if u.Altered() {
		if err := enter(ctx, r.tx, sqlstore.Rows{{u.ID().String(), tokensOf(r.tx.Store(), snapshot)}}); err != nil {
			return err
		}
	}
	if u.NewlyBound() {
		if err := licensing.AdoptSeats(ctx, r.tx, snapshot.Email, u.ID()); err != nil {
			return err
		}
	}
	return r.tx.RecordOf(ctx, u)
}

func (r users) write(ctx context.Context, u *user.User, state, unique sqlstore.Row) (int64, error) {
	key := sqlstore.Row{{"id", u.ID().String()}}
	if u.Version() == 0 {
		return r.tx.Insert(ctx, "users", append(append(key, unique...), state...))
	}
	key = append(key, sqlstore.Cell{"version", u.Version()})
	n, err := r.tx.Update(ctx, "users", state, append(key, unique...))
	if err != nil || n > 0 {
		return n, err
	}
	err = r.tx.Savepoint(ctx, func(inner *sqlstore.Tx) error {
		n, err = inner.Update(ctx, "users", append(state, unique...), key)
		return err
	})
	if r.tx.Store().Dialect().Failure(err) == sqlstore.Duplicate {
		return 0, nil
	}
	return n, err
}

// refusal returns why an account could not be saved: another one has a unique value of it, or it was changed
// meanwhile.
func (r users) refusal(ctx context.Context, u user.Snapshot) error {
	var others []struct {
		Email    bool `db:"email"`
		External bool `db:"external"`
	}
	emailIndex, externalIndex := r.tx.Store().EmailIndex(u.Email), r.tx.Store().ExternalIndex(u.ExternalID)
	err := r.tx.List(ctx, &others, `
		SELECT email_index = ? AS email, COALESCE(external_index = ?, FALSE) AS external
		FROM users WHERE id <> ? AND (email_index = ? OR external_index = ?)`,
		emailIndex, externalIndex, u.ID.String(), emailIndex, externalIndex)
	if err != nil {
		return fmt.Errorf("find whose address or external id it is: %w", err)
	}
	for _, other := range others {
		if other.Email {
			return user.ErrEmailTaken
		}
	}
	if len(others) > 0 {
		return user.ErrExternalTaken
	}
	return aggregate.ErrConflict
}

// Delete removes an account and all that belongs to it: the database cascades to its credential,
// sessions, memberships, personal workspace and mail, except vital mail that is queued.
func (r users) Delete(ctx context.Context, u *user.User) error {
	if err := workspaces.DropPersonalRules(ctx, r.tx, u.ID()); err != nil {
		return err
	}
	if err := workspaces.EndSelling(ctx, r.tx, workspaces.OfPersonal, u.ID().String()); err != nil {
		return err
	}
	if err := workspaces.ReservePersonalSlug(ctx, r.tx, u.ID()); err != nil {
		return err
	}
	if err := forgetUses(ctx, r.tx, u.ID()); err != nil {
		return err
	}
	if err := r.tx.DetachMails(ctx, u.Snapshot()); err != nil {
		return err
	}
	if err := workspaces.ForgetRelations(ctx, r.tx, relation.User(u.ID().String())); err != nil {
		return err
	}
	id := u.ID().String()
	if err := licensing.RevokeOf(ctx, r.tx, `user_id = ? OR owner_org_id`+workspaces.OfPersonal, id, id); err != nil {
		return err
	}
	if err := billing.CancelOf(ctx, r.tx, `user_id = ? OR buyer_org_id`+workspaces.OfPersonal, id, id); err != nil {
		return err
	}
	return r.tx.Delete(ctx, "users", sqlstore.Row{{"id", id}}, u)
}

// OtherSuperadmins counts the other usable superadmins, under a lock of the row of the instance.
func (r users) OtherSuperadmins(ctx context.Context, except user.ID, now time.Time) (int, error) {
	var id int
	if err := r.tx.Get(ctx, &id, `SELECT id FROM instance WHERE id = 1 {for update}`); err != nil {
		return 0, fmt.Errorf("lock the instance: %w", err)
	}
	var others int
	err := r.tx.Get(ctx, &others, `
		SELECT COUNT(*) FROM users
		WHERE superadmin AND id <> ? AND `+string(live.Account("users")),
		except.String(), sqlstore.At(now))
	if err != nil {
		return 0, fmt.Errorf("count superadmins: %w", err)
	}
	return others, nil
}

// userState returns the columns of an account, except for the unique ones.
func userState(store *sqlstore.Store, u user.Snapshot) (sqlstore.Row, error) {
	seal := store.RowSealer("users", u.ID.String())
	metadata := ""
	if u.Metadata != nil {
		encoded, err := json.Marshal(u.Metadata, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the metadata of the account %s: %w", u.ID, err)
		}
		metadata = string(encoded)
	}
	required, err := sqlstore.EncodeList(u.RequiredActions)
	if err != nil {
		return nil, fmt.Errorf("encode what is required of the account %s: %w", u.ID, err)
	}
	return sqlstore.Row{
		{"email", seal("email", u.Email.String())},
		{"email_folded", store.Searchable(u.Email.Folded())},
		{"email_verified", u.EmailVerified},
		{"email_bound", u.EmailBound},
		{"display_name", seal("display_name", u.DisplayName)},
		{"name_folded", store.Searchable(strings.ToLower(u.DisplayName))},
		{"avatar", seal("avatar", u.Avatar)},
		{"locale", u.Locale},
		{"timezone", u.Timezone},
		{"external_id", seal("external_id", u.ExternalID)},
		{"metadata", seal("metadata", metadata)},
		{"superadmin", u.Superadmin},
		{"required_actions", required},
		{"status", string(u.Status)},
		{"disabled_until", sqlstore.At(u.DisabledUntil)},
		{"disabled_why", seal("disabled_why", u.DisabledWhy)},
		{"created_at", sqlstore.At(u.CreatedAt)},
		{"updated_at", sqlstore.At(u.UpdatedAt)},
		{"last_login_at", sqlstore.At(u.LastLoginAt)},
	}, nil
}
