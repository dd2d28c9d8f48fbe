package jobs

import (
	"cmp"
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
)

// resultRows is how many rows a page of results has.
const resultRows = 200

// ResultGetParams are the parameters of JOB.RESULT_GET.
type ResultGetParams struct {
	JobID  job.ID   `json:"job_id" doc:"ID of the job."`
	Part   job.Part `json:"part,omitzero" doc:"Part of the result. data: the rows the job collected. errors: the rejected items, each with the reason. Defaults to data." jsonschema:"enum=errors,enum=data"`
	Cursor string   `json:"cursor,omitzero" doc:"Value of next_cursor from the previous page. Omit to get the first page." jsonschema:"maxLength=512" example:"-"`
}

// PageCursor returns the cursor that was asked for.
func (p ResultGetParams) PageCursor() string { return p.Cursor }

// ResultGetResult is the result of JOB.RESULT_GET.
type ResultGetResult struct {
	Items       []Row   `json:"items" doc:"Rows of this page, in order. At most 200."`
	NextCursor  *string `json:"next_cursor" doc:"Cursor for the next page. Null on the last page, which can grow while the job runs."`
	ContentType string  `json:"content_type" doc:"Media type of all rows together. application/x-ndjson: each row is a JSON object. text/csv: each row is one line."`
}

// Row is one row of a result.
type Row jsontext.Value

// MarshalJSON writes the row as it is.
func (r Row) MarshalJSON() ([]byte, error) { return r, nil }

// SchemaFragment describes the row in a JSON Schema.
func (Row) SchemaFragment() map[string]any {
	return map[string]any{
		"type":        []any{"object", "string"},
		"description": "A JSON object, or one line of CSV. Rows of errors have item, code and message, and fields if a field is invalid.",
	}
}

func (s *Service) resultGet() command.Definition {
	return command.Define(command.Spec[ResultGetParams, ResultGetResult]{
		Name:    "JOB.RESULT_GET",
		Summary: "Get the results of a job.",
		Description: "Returns the rows a job collected, or the items that were rejected. Results are kept for 7 days after the job ends.\n\nOnly the " +
			"user, API key or app that started the job can read its results, and only with the permissions the job required.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ResultGetParams) (ResultGetResult, error) {
			found, err := s.Directory.Find(ctx, p.JobID)
			if err == nil {
				err = found.CheckReader(call.Caller, s.Clock.Now())
			}
			if err != nil {
				return ResultGetResult{}, err
			}
			return s.rows(ctx, found, p)
		},
	})
}

// rows reads a page of a part. Its cursor holds the number of its last row.
func (s *Service) rows(ctx context.Context, of job.Snapshot, p ResultGetParams) (ResultGetResult, error) {
	part, number := cmp.Or(p.Part, job.Data), 0
	list := s.Cursors.List("JOB.RESULT_GET|"+p.JobID.String()+"|"+string(part), page.Params{Limit: resultRows, Cursor: p.Cursor})
	position := func([]byte) string { return strconv.Itoa(number + resultRows) }
	read, err := page.Read(list, position, func(row []byte) Row { return row }, func(after string, most int) ([][]byte, error) {
		number, _ = strconv.Atoi(after) // "" is the beginning
		return s.Directory.Rows(ctx, job.Place{Job: p.JobID, Part: part, Row: number}, most)
	})
	result := ResultGetResult{Items: read.Items, NextCursor: read.NextCursor, ContentType: of.ContentType}
	if part == job.Errors || result.ContentType == "" {
		result.ContentType = "application/x-ndjson"
	}
	return result, err
}
