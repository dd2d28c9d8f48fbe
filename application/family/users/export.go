package users

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/user"
)

// exportKind is the kind of job that exports.
const exportKind job.Kind = "user.bulk_export"

// exportBatch is how many accounts a step reads.
const exportBatch = 200

// exported is an account in an export, under the names that USER.BULK_IMPORT takes.
type exported struct {
	ID            user.ID        `json:"id"`
	Email         string         `json:"email"`
	EmailVerified bool           `json:"email_verified"`
	DisplayName   string         `json:"display_name"`
	ExternalID    string         `json:"external_id"`
	Metadata      map[string]any `json:"metadata_json"`
	Status        string         `json:"status"`
	CreatedAt     time.Time      `json:"created_at"`
	LastLoginAt   *time.Time     `json:"last_login_at"`
	PasswordHash  string         `json:"password_hash,omitempty"`
}

// exportPoint is where the next step of an export begins.
type exportPoint struct {
	Before user.ID `json:"before"`
}

// export returns the work of USER.BULK_EXPORT. Its steps page through the accounts from the
// newest down, so that one that is made meanwhile moves nothing.
func (s *Service) export() jobs.Work {
	return jobs.Work{Step: func(ctx context.Context, at jobs.StepContext) (job.Step, error) {
		params, err := jobs.Params[BulkExportParams](at)
		if err != nil {
			return job.Step{}, err
		}
		var from exportPoint
		if len(at.Job.Saved) > 0 {
			if err := strictjson.Decode(at.Job.Saved, &from); err != nil {
				return job.Step{}, fmt.Errorf("decode the position of an export: %w", err)
			}
		}
		query := params.Filter.query(at.Now)
		query.Before, query.Limit = from.Before, exportBatch
		found, err := s.Directory.List(ctx, query)
		if err != nil {
			return job.Step{}, err
		}
		step := job.Step{Done: len(found), Finished: len(found) < exportBatch}
		if step.Rows, err = s.exportRows(ctx, found, params, at); err != nil {
			return job.Step{}, err
		}
		if step.Finished {
			return step, s.tellExported(ctx, at, params, at.Job.Done+len(found))
		}
		step.Saved, err = strictjson.Encode(exportPoint{found[len(found)-1].ID})
		return step, err
	}}
}

// tellExported records that accounts were handed out.
func (s *Service) tellExported(ctx context.Context, at jobs.StepContext, p BulkExportParams, count int) error {
	return s.Unit.Do(ctx, func(tx Repos) error {
		return tx.Events.Record(ctx, job.UsersExported{JobID: at.Job.ID, UserID: at.Job.Maker.UserID, Users: count, Hashes: p.IncludeHashes})
	})
}

// exportRows writes accounts in the format asked for; CSV begins with the header.
func (s *Service) exportRows(ctx context.Context, found []user.Snapshot, p BulkExportParams, at jobs.StepContext) ([][]byte, error) {
	accounts := make([]exported, len(found))
	for i, u := range found {
		accounts[i] = exportOf(u, at.Now)
	}
	if p.IncludeHashes {
		if err := s.addHashes(ctx, accounts); err != nil {
			return nil, err
		}
	}
	var lines []any
	if p.Format == jobs.CSV && at.Job.Rows == 0 {
		lines = append(lines, jobs.CSVLine(csvHeader(p.IncludeHashes)))
	}
	for _, one := range accounts {
		line, err := one.line(p)
		if err != nil {
			return nil, fmt.Errorf("write the account %s: %w", one.ID, err)
		}
		lines = append(lines, line)
	}
	rows := make([][]byte, len(lines))
	for i, line := range lines {
		var err error
		if rows[i], err = strictjson.Encode(line); err != nil {
			return nil, fmt.Errorf("encode a row of an export: %w", err)
		}
	}
	return rows, nil
}

// line returns the account as a row: itself, or a line of CSV.
func (e exported) line(p BulkExportParams) (any, error) {
	if p.Format != jobs.CSV {
		return e, nil
	}
	cells, err := e.cells(p.IncludeHashes)
	return jobs.CSVLine(cells), err
}

func exportOf(u user.Snapshot, now time.Time) exported {
	e := exported{
		ID: u.ID, Email: u.Email.String(), EmailVerified: u.EmailVerified, DisplayName: u.DisplayName, ExternalID: u.ExternalID,
		Metadata: u.Metadata, Status: string(user.Active), CreatedAt: u.CreatedAt,
	}
	if !u.Usable(now) {
		e.Status = string(user.Disabled)
	}
	if !u.LastLoginAt.IsZero() {
		e.LastLoginAt = &u.LastLoginAt
	}
	return e
}

// addHashes adds the hashes of passwords.
func (s *Service) addHashes(ctx context.Context, accounts []exported) error {
	return s.Unit.Do(ctx, func(tx Repos) error {
		for i := range accounts {
			c, err := tx.Credentials.ByUser(ctx, accounts[i].ID)
			if err != nil {
				return fmt.Errorf("read the hash of %s: %w", accounts[i].ID, err)
			}
			accounts[i].PasswordHash = c.Hash()
		}
		return nil
	})
}

func csvHeader(hashes bool) []string {
	names := []string{"id", "email", "email_verified", "display_name", "external_id", "metadata_json", "status", "created_at", "last_login_at"}
	if hashes {
		names = append(names, "password_hash")
	}
	return names
}

// cells returns the account in the columns of csvHeader.
func (e exported) cells(hashes bool) ([]string, error) {
	metadata, err := strictjson.Encode(e.Metadata)
	if err != nil {
		return nil, fmt.Errorf("write the metadata of %s: %w", e.ID, err)
	}
	last := ""
	if e.LastLoginAt != nil {
		last = e.LastLoginAt.Format(time.RFC3339Nano)
	}
	cells := []string{
		e.ID.String(), e.Email, strconv.FormatBool(e.EmailVerified), e.DisplayName, e.ExternalID, string(metadata),
		e.Status, e.CreatedAt.Format(time.RFC3339Nano), last,
	}
	if hashes {
		cells = append(cells, e.PasswordHash)
	}
	return cells, nil
}
