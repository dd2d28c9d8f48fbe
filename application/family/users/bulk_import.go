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
	Users       []UpstreamUser `json:"users" doc:"Accounts as the other system exported them. An invalid account is reported and does not stop the others. If a call was interrupted, repeat it to continue where it stopped." jsonschema:"minItems=1,maxItems=10000"`
	Mapping     Mapping        `json:"mapping,omitzero" doc:"Maps field names of the other system to Gatehouse fields; null skips a field. By default, sub and user_id map to external_id, app_metadata maps to metadata_json, and Gatehouse names map to themselves. Any other field is an error in its row."`
	OnConflict  string         `json:"on_conflict,omitzero" doc:"Action when the account already exists: leave it unchanged (skip), apply the row (update) or report an error (fail). Defaults to skip. An update matches by email address, merges metadata_json and never marks an address as unverified. A different password_hash ends the account's sessions." jsonschema:"enum=skip,enum=update,enum=fail"`
	SendInvites bool           `json:"send_invites,omitzero" doc:"Whether to email each newly created account a link to set a password. The link works once, for 7 days."`
}

// BulkImportResult is the result of USER.BULK_IMPORT.
type BulkImportResult struct {
	// JobID alone answers a large call, everything else a small one.
	JobID    job.ID        `json:"job_id,omitzero" doc:"ID of the job that imports the accounts. Present only for more than 1,000 rows, and then the only field. JOB.GET shows its progress, JOB.RESULT_GET the outcome of each row."`
	Imported *int          `json:"imported,omitzero" doc:"Number of accounts created."`
	Updated  *int          `json:"updated,omitzero" doc:"Number of existing accounts changed."`
	Skipped  *int          `json:"skipped,omitzero" doc:"Number of rows whose account already existed and was not changed."`
	Failed   *int          `json:"failed,omitzero" doc:"Number of rows with errors."`
	Errors   []ImportError `json:"errors,omitzero" doc:"Errors, in row order."`
	Items    []ImportItem  `json:"items,omitzero" doc:"Outcome of each row, in row order."`
}

// ImportError is a complaint about one row.
type ImportError struct {
	Index   int    `json:"index" doc:"Zero-based position of the row in users."`
	Path    string `json:"path,omitzero" doc:"JSON Pointer to the invalid field of the row. Omitted if the error concerns the whole row."`
	Message string `json:"message" doc:"Error message."`
}

// ImportItem is the outcome of one row.
type ImportItem struct {
	Index  int     `json:"index" doc:"Zero-based position of the row in users."`
	Status string  `json:"status" doc:"Outcome of the row." jsonschema:"enum=imported,enum=updated,enum=skipped,enum=failed"`
	UserID user.ID `json:"user_id,omitzero" doc:"ID of the account that was created, or that an update matched."`
}

const bulkImportDescription = "The result reports the outcome of each row. With more than 1,000 rows, a job imports the accounts and the result has its " +
	"`job_id` only."

func (s *Service) bulkImport() command.Definition {
	rows := schema.Of(reflect.TypeFor[ImportRow]())
	return command.Define(command.Spec[BulkImportParams, BulkImportResult]{
		Name:        "USER.BULK_IMPORT",
		Summary:     "Import up to 10,000 accounts from another system, with their password hashes.",
		Description: bulkImportDescription,
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       append(account.EndedKinds(), user.KindCreated, workspace.KindCreated, user.KindUpdated, credential.KindSet, job.KindCreated),
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
