package ops

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/job"
)

// packOf is how many rows of a job are stored together, as one row of the table: 10,000 rows are
// then 100, which hold the only writer of SQLite for a few milliseconds.
const packOf = 100

// pack is some rows of a part of a job that are stored together. Its identifier is that of the part,
// the number of its first row and the number of its rows. Releases before packs stored one row each,
// without that number and with another place of the seal.
type pack struct {
	ID      string `db:"id"`
	Content string `db:"content"`
}

// partID begins the identifiers of the packs of a part.
func partID(of job.Place) string { return string(of.Job) + "/" + string(of.Part) }

// rowID returns the identifier of a row that is stored by itself. The packs that begin with an earlier
// row sort before it, and one that begins with the row right after it.
func rowID(of job.Place, row int) string { return fmt.Sprintf("%s/%010d", partID(of), row) }

func packPlace(id string) string { return sqlstore.Place("job_rows", "pack", id) }

// packed returns the packs of rows from a place on, sealed.
func packed(store *sqlstore.Store, to job.Place, rows [][]byte) (sqlstore.Rows, error) {
	var packs sqlstore.Rows
	for first := 0; first < len(rows); first += packOf {
		together := rows[first:min(first+packOf, len(rows))]
		texts := make([]string, len(together))
		for i, row := range together {
			texts[i] = string(row)
		}
		content, err := json.Marshal(texts)
		if err != nil {
			return nil, fmt.Errorf("encode rows of a job: %w", err)
		}
		id := rowID(to, to.Row+first) + "/" + strconv.Itoa(len(together))
		packs = append(packs, []any{id, store.Secrets().Seal(string(content), packPlace(id))})
	}
	return packs, nil
}

// first returns the number of the first row of a pack.
func (p pack) first() (int, error) { return strconv.Atoi(strings.Split(p.ID, "/")[2]) }

// rows opens a pack.
func (p pack) rows(store *sqlstore.Store) ([]string, error) {
	if strings.Count(p.ID, "/") == 2 {
		row, err := store.Secrets().Open(p.Content, sqlstore.Place("job_rows", "content", p.ID))
		return []string{row}, err
	}
	content, err := store.Secrets().Open(p.Content, packPlace(p.ID))
	if err != nil {
		return nil, err
	}
	var rows []string
	err = json.Unmarshal([]byte(content), &rows)
	return rows, err
}

// Rows decrypts rows of a part of a job, from a place on.
func (d jobDirectory) Rows(ctx context.Context, from job.Place, most int) ([][]byte, error) {
	packs, err := d.packs(ctx, from, most)
	if err != nil {
		return nil, fmt.Errorf("read rows of a job: %w", err)
	}
	var rows [][]byte
	for _, p := range packs {
		first, err := p.first()
		if err != nil {
			return nil, fmt.Errorf("read the number of the rows %s: %w", p.ID, err)
		}
		opened, err := p.rows(d.store)
		if err != nil {
			return nil, fmt.Errorf("open the rows %s of a job: %w", p.ID, err)
		}
		for i, row := range opened {
			if first+i >= from.Row && len(rows) < most {
				rows = append(rows, []byte(row))
			}
		}
	}
	return rows, nil
}

// packs reads the packs that hold some rows: by their identifiers, which tell how many are needed, and
// then their contents.
func (d jobDirectory) packs(ctx context.Context, from job.Place, most int) ([]pack, error) {
	part, end := partID(from)+"/", partID(from)+"0"
	var found []pack
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT id FROM job_rows WHERE id < ? AND id >= COALESCE(
		(SELECT MAX(id) FROM job_rows WHERE id >= ? AND id < ?), ?) ORDER BY id LIMIT ?`, end, part, rowID(from, from.Row)+"0", part, most+1)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	needed := 0
	for needed < len(found) {
		first, err := found[needed].first()
		if err != nil {
			return nil, err
		}
		if first >= from.Row+most {
			break
		}
		needed++
	}
	if needed == 0 {
		return nil, nil
	}
	var packs []pack
	err = d.store.Reader(ctx).List(ctx, &packs, `SELECT id, content FROM job_rows WHERE id >= ? AND id <= ? ORDER BY id`, found[0].ID, found[needed-1].ID)
	return packs, err
}
