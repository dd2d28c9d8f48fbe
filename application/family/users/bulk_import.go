package users

import (
	"context"
	"reflect"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// What happens to a row whose email address or external id is taken.
const (
	onConflictSkip   = "skip"
	onConflictUpdate = "update"
)

// BulkImportParams are the parameters of USER.BULK_IMPORT.
type BulkImportParams struct {
	Users       []UpstreamUser `json:"users" doc:"The accounts as the other system exported them. A wrong one is reported and does not stop the others; a repeated call continues where the one before stopped." jsonschema:"minItems=1,maxItems=10000"`
	Mapping     Mapping        `json:"mapping,omitzero" doc:"Which field of theirs is which of ours, or null to leave it out. Without an entry sub and user_id are external_id, app_metadata is metadata_json, and our own names are themselves; any other field is an error of its row."`
	OnConflict  string         `json:"on_conflict,omitzero" doc:"What to do when the account is there already: leave it (skip, when absent), change what the row says (update), or report an error (fail). An update matches by email address, merges metadata_json, never unverifies an address, and a password_hash that differs ends the account's sessions." jsonschema:"enum=skip,enum=update,enum=fail"`
	SendInvites bool           `json:"send_invites,omitzero" doc:"Mail the owners of accounts that are made a link to set a password, which works once, for 7 days."`
}

// BulkImportResult is the result of USER.BULK_IMPORT.
type BulkImportResult struct {
	// JobID alone answers a large call, everything else a small one.
	JobID    job.ID        `json:"job_id,omitzero" doc:"Of more than 1,000 rows, and alone then: the job. JOB.GET says how far it is, JOB.RESULT_GET what became of each row."`
	Imported *int          `json:"imported,omitzero" doc:"Accounts that were made."`
	Updated  *int          `json:"updated,omitzero" doc:"Accounts that were there and changed."`
	Skipped  *int          `json:"skipped,omitzero" doc:"Rows whose account was there and did not change."`
	Failed   *int          `json:"failed,omitzero" doc:"Rows with errors."`
	Errors   []ImportError `json:"errors,omitzero" doc:"What is wrong with rows, in their order."`
	Items    []ImportItem  `json:"items,omitzero" doc:"What became of each row, in their order."`
}

// ImportError is a complaint about one row.
type ImportError struct {
	Index   int    `json:"index" doc:"Place of the row in users, from 0."`
	Path    string `json:"path,omitzero" doc:"JSON Pointer into the row; absent: the row as a whole."`
	Message string `json:"message" doc:"What is wrong."`
}

// ImportItem is the outcome of one row.
type ImportItem struct {
	Index  int     `json:"index" doc:"Place of the row in users, from 0."`
	Status string  `json:"status" doc:"What became of it." jsonschema:"enum=imported,enum=updated,enum=skipped,enum=failed"`
	UserID user.ID `json:"user_id,omitzero" doc:"The account that was made or matched by an update."`
}

func (s *Service) bulkImport() command.Definition {
	rows := schema.Of(reflect.TypeFor[ImportRow]())
	return command.Define(command.Spec[BulkImportParams, BulkImportResult]{
		Name:    "USER.BULK_IMPORT",
		Summary: "Import up to 10,000 accounts exported from another system, with the hashes of their passwords; each row is told what became of it. More than 1,000 are imported by a job.",
		Access:  access.Holding(manage).Recent(),
		Effect:  command.Writes,
		Emits:   append(account.EndedKinds(), user.KindCreated, workspace.KindCreated, user.KindUpdated, credential.KindSet, job.KindCreated),
		Handle: func(ctx context.Context, call command.Call, p BulkImportParams) (BulkImportResult, error) {
			if len(p.Users) > importAtOnce {
				return s.importLater(ctx, call.Caller, p)
			}
			reader := rowReader{schema: rows, mapping: p.Mapping, hashes: s.Passwords.Hasher}
			report, sound := reader.sound(p.Users)
			store := rowStore{Service: s, caller: call.Caller, onConflict: p.OnConflict, invites: p.SendInvites}
			if err := store.all(ctx, sound); err != nil {
				return BulkImportResult{}, err
			}
			return summed(report), nil
		},
	})
}

func summed(report []outcome) BulkImportResult {
	counts := map[string]*int{statusImported: new(int), statusUpdated: new(int), statusSkipped: new(int), statusFailed: new(int)}
	result := BulkImportResult{
		Imported: counts[statusImported], Updated: counts[statusUpdated], Skipped: counts[statusSkipped], Failed: counts[statusFailed],
		Errors: []ImportError{},
	}
	for i, o := range report {
		*counts[o.status]++
		result.Items = append(result.Items, ImportItem{Index: i, Status: o.status, UserID: o.user})
		for _, f := range o.complaints {
			result.Errors = append(result.Errors, ImportError{Index: i, Path: f.Path, Message: f.Message})
		}
	}
	return result
}
