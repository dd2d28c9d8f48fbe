package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const (
	// chains is how many documents there are, each five tuples away from its only viewer:
	// a million tuples.
	chains = 200_000
	// leastChecks is how many checks a second are wanted.
	leastChecks = 3000
	// relationModel lets folders inherit, and teams view them.
	relationModel = `model\n  schema 1.1\ntype user\ntype team\n  relations\n    define member: [user]\n` +
		`type folder\n  relations\n    define parent: [folder]\n    define viewer: [user, team#member] or viewer from parent\n` +
		`type document\n  relations\n    define folder: [folder]\n    define viewer: [user] or viewer from folder\n`
)

// relate publishes a model in the superadmin's workspace and fills it, once.
func relate(ctx context.Context, c *contest) error {
	i := c.i
	if i.related {
		return nil
	}
	on, err := dial(ctx, i.address)
	if err != nil {
		return err
	}
	defer on.close()
	if _, err := demand(on, post(nil, i.admin, `{"command":"RELATION.MODEL_SET","params":{"model":"`+relationModel+`"}}`)); err != nil {
		return fmt.Errorf("publish a relation model: %w", err)
	}
	err = i.db.onOne(ctx, func(conn *sql.Conn) error {
		into := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		return into.all(ctx, []table{{
			name:    "relation_tuples",
			columns: []string{"object", "org_id", "relation", "kind", "subject", "shape", "context", "expires_at", "written_at"},
			rows:    i.chains,
		}})
	})
	i.related = err == nil
	return err
}

// chains returns the tuples: document, folder, its parent, a team, its member.
func (i *instance) chains(yield func([]any) bool) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	row := func(object, relation string, kind int, subject, shape string) []any {
		return []any{object, i.org, relation, kind, subject, shape, "", nil, now}
	}
	for k := range chains {
		for _, one := range [][]any{
			row(fmt.Sprintf("document:%d", k), "folder", 0, fmt.Sprintf("folder:%d-1", k), "document#folder@folder"),
			row(fmt.Sprintf("folder:%d-1", k), "parent", 0, fmt.Sprintf("folder:%d-2", k), "folder#parent@folder"),
			row(fmt.Sprintf("folder:%d-2", k), "parent", 0, fmt.Sprintf("folder:%d-3", k), "folder#parent@folder"),
			row(fmt.Sprintf("folder:%d-3", k), "viewer", 1, fmt.Sprintf("team:%d#member", k), "folder#viewer@team#member"),
			row(fmt.Sprintf("team:%d", k), "member", 0, fmt.Sprintf("user:%d", k), "team#member@user"),
		} {
			if !yield(one) {
				return
			}
		}
	}
}

// checking asks for documents all over; every other question is about a stranger, whose
// no takes as long.
func checking(c *contest) func(int) script {
	return func(connection int) script {
		s := &repeat{want: 200}
		for n := range 1000 {
			k := (connection*7919 + n*104_729) % chains
			viewer := k + n%2
			s.requests = append(s.requests, post(nil, c.i.admin, fmt.Sprintf(
				`{"command":"RELATION.CHECK","params":{"object":"document:%d","relation":"viewer","subject":"user:%d"}}`, k, viewer)))
		}
		return s
	}
}
