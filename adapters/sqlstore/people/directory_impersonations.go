package people

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// ImpersonationDirectory lists impersonations for reading.
func ImpersonationDirectory(store *sqlstore.Store) people.ImpersonationDirectory {
	return impersonationDirectory{store}
}

type impersonationDirectory struct{ store *sqlstore.Store }

// listedImpersonation is an impersonation with the sealed name of the actor.
type listedImpersonation struct {
	sqlstore.ImpersonationRow

	ActorName sql.NullString `db:"actor_name"`
}

// List returns impersonations, newest first.
func (d impersonationDirectory) List(ctx context.Context, query people.ImpersonationQuery) ([]people.Impersonation, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Concerning == "", "(i.user_id = ? OR i.actor_id = ?)", query.Concerning.String(), query.Concerning.String())
	f.Unless(query.User == "", "i.user_id = ?", query.User.String())
	f.Unless(query.Actor == "", "i.actor_id = ?", query.Actor.String())
	if query.Active != nil {
		active := "i.ended_at IS NULL AND i.expires_at > ?"
		if !*query.Active {
			active = "(i.ended_at IS NOT NULL OR i.expires_at <= ?)"
		}
		f.Where(active, sqlstore.At(query.Now))
	}
	f.Unless(query.Before == "", "i.id < ?", query.Before.String())
	var found []listedImpersonation
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+sqlstore.Qualified("i", sqlstore.ImpersonationColumns)+", a.display_name AS actor_name "+
		"FROM impersonations i LEFT JOIN users a ON a.id = i.actor_id"+f.String()+" ORDER BY i.id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list impersonations: %w", err)
	}
	return sqlstore.Map(found, func(row *listedImpersonation) (people.Impersonation, error) {
		snapshot, err := d.store.ImpersonationSnapshot(&row.ImpersonationRow)
		if err != nil {
			return people.Impersonation{}, err
		}
		open := d.store.RowOpener("users", row.ActorID.String())
		shown := people.Impersonation{Snapshot: snapshot, ActorName: open.Value("display_name", row.ActorName.String)}
		if open.Err != nil {
			return shown, fmt.Errorf("open the name of the actor %s: %w", row.ActorID, open.Err)
		}
		return shown, nil
	})
}

// AllowedUntil reads the consent of a person.
func (d impersonationDirectory) AllowedUntil(ctx context.Context, person user.ID) (time.Time, error) {
	return allowedUntil(ctx, d.store.Reader(ctx), person)
}
