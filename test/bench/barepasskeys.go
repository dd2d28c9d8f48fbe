package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// The bare counterpart of a login by passkey, in two requests.
const (
	bareBegin  = "/passkey/begin"
	bareFinish = "/passkey/finish"
)

// barePasskeys runs the two transactions of a login by passkey on the tables of the
// service: what it reads, changes and adds, by rows of others.
type barePasskeys struct {
	db          *sql.DB
	begin, take *sql.Stmt
	// reads, changes and adds are the statements of the second transaction.
	reads, changes, adds []*sql.Stmt
	// users are those whose rows are touched, samples the rows that are added again.
	users   []string
	samples []string
	// begun are the challenges that wait.
	begun chan string
}

func newBarePasskeys(ctx context.Context, d *database, writer *sql.DB) (*barePasskeys, error) {
	const plenty = 1 << 16
	p := &barePasskeys{db: writer, begun: make(chan string, plenty)}
	if err := p.choose(ctx); err != nil {
		return nil, err
	}
	prepare := func(into *[]*sql.Stmt, texts ...string) error {
		for _, text := range texts {
			prepared, err := writer.PrepareContext(ctx, text) //nolint:sqlclosecheck // kept as long as the process
			if err != nil {
				return fmt.Errorf("prepare %q: %w", text, err)
			}
			*into = append(*into, prepared)
		}
		return nil
	}
	one := d.placeholder(1)
	var ceremony []*sql.Stmt
	err := errors.Join(
		prepare(&ceremony,
			`INSERT INTO challenges (digest, kind, content, code, failures, created_at, expires_at) VALUES (`+
				one+`, 'bare', `+d.placeholder(2)+`, '', 0, `+d.placeholder(3)+`, `+d.placeholder(4)+`)`,
			`DELETE FROM challenges WHERE digest = `+one+` AND kind = 'bare' RETURNING content`),
		prepare(&p.reads,
			`SELECT content FROM passkeys WHERE credential_id = `+one,
			`SELECT email FROM users WHERE id = `+one,
			`SELECT id FROM workspaces WHERE personal_of = `+one,
			`SELECT grants FROM members WHERE user_id = `+one,
			`SELECT content FROM second_factors WHERE user_id = `+one,
			`SELECT id FROM passkeys WHERE user_id = `+one,
			`SELECT client FROM known_clients WHERE user_id = `+one),
		prepare(&p.changes,
			`UPDATE passkeys SET version = version + 1 WHERE id = (SELECT MAX(id) FROM passkeys WHERE user_id = `+one+`)`,
			`UPDATE users SET version = version + 1 WHERE id = `+one),
	)
	if err != nil {
		return nil, err
	}
	p.begin, p.take = ceremony[0], ceremony[1]
	for _, table := range []string{"sessions", "events", "events"} {
		text, sample, err := again(ctx, d, writer, table)
		if err == nil {
			err = prepare(&p.adds, text)
		}
		if err != nil {
			return nil, err
		}
		p.samples = append(p.samples, sample)
	}
	return p, nil
}

// choose takes a sample of the users.
func (p *barePasskeys) choose(ctx context.Context) error {
	found, err := p.db.QueryContext(ctx, `SELECT id FROM users ORDER BY id LIMIT 1000`)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var id string
		if err := found.Scan(&id); err != nil {
			return err
		}
		p.users = append(p.users, id)
	}
	return found.Err()
}

// again returns the statement that adds a row like one that there is, under another id
// and of another user, and the id of that row.
func again(ctx context.Context, d *database, db *sql.DB, table string) (text, sample string, err error) {
	if err := db.QueryRowContext(ctx, `SELECT MIN(id) FROM `+table).Scan(&sample); err != nil {
		return "", "", fmt.Errorf("find a row of %s: %w", table, err)
	}
	found, err := db.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		return "", "", err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return "", "", err
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		switch values[i] = column; column {
		case "id":
			values[i] = "CAST(" + d.placeholder(1) + " AS TEXT)"
		case "user_id":
			values[i] = "CAST(" + d.placeholder(2) + " AS TEXT)"
		}
	}
	return `INSERT INTO ` + table + ` (` + strings.Join(columns, ", ") + `) SELECT ` + strings.Join(values, ", ") +
		` FROM ` + table + ` WHERE id = ` + d.placeholder(3), sample, found.Err()
}

// within runs statements in one transaction.
func (p *barePasskeys) within(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing once it was committed
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (p *barePasskeys) starts(ctx context.Context) error {
	const life = 5 * time.Minute
	id, now := rand.Text(), time.Now().UTC()
	err := p.within(ctx, func(tx *sql.Tx) error {
		return changing(ctx, tx, p.begin, id, strings.Repeat(id, 16), now, now.Add(life))
	})
	select {
	case p.begun <- id:
	default:
	}
	return err
}

func (p *barePasskeys) ends(ctx context.Context) error {
	id, who := "", p.users[mathrand.IntN(len(p.users))]
	select {
	case id = <-p.begun:
	default:
	}
	return p.within(ctx, func(tx *sql.Tx) error {
		if err := reading(ctx, tx, p.take, id); err != nil {
			return err
		}
		for _, statement := range p.reads {
			if err := reading(ctx, tx, statement, who); err != nil {
				return err
			}
		}
		for _, statement := range p.changes {
			if err := changing(ctx, tx, statement, who); err != nil {
				return err
			}
		}
		for i, statement := range p.adds {
			if err := changing(ctx, tx, statement, "bare_"+rand.Text(), who, p.samples[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// changing runs a statement that returns nothing.
func changing(ctx context.Context, tx *sql.Tx, statement *sql.Stmt, by ...any) error {
	_, err := tx.StmtContext(ctx, statement).ExecContext(ctx, by...) //nolint:sqlclosecheck // closed with the transaction
	return err
}

// reading runs a statement that returns one text, or none.
func reading(ctx context.Context, tx *sql.Tx, statement *sql.Stmt, by string) error {
	var text string
	err := tx.StmtContext(ctx, statement).QueryRowContext(ctx, by).Scan(&text) //nolint:sqlclosecheck // closed with the transaction
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// began and finished answer the two requests of a login.
func (b *bare) began(w http.ResponseWriter, r *http.Request) {
	if err := b.passkeys.starts(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	say(w, []byte(`{"begun":true}`))
}

func (b *bare) finished(w http.ResponseWriter, r *http.Request) {
	_, err := b.check()
	if err == nil {
		err = b.passkeys.ends(r.Context())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	say(w, []byte(`{"finished":true}`))
}
