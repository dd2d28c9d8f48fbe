package cli

import (
	"fmt"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/wait"
)

const (
	// lookAgain is the polling interval of --wait, and the delay after a rate-limited
	// call.
	lookAgain = time.Second
	// barWidth is the width of the progress bar, in characters.
	barWidth = 30
)

// jobState is a job of JOB.GET.
type jobState struct {
	OrgID  string `json:"org_id"`
	Status string `json:"status"`
	Done   int    `json:"done"`
	Total  int    `json:"total"`
	Errors int    `json:"errors"`
	Rows   int    `json:"rows"`
	Reason string `json:"reason"`
}

func (j jobState) ended() bool { return j.Status != "queued" && j.Status != "running" }

// jobOf returns the identifier of the job that a response started, or "".
func jobOf(answer jsontext.Value) string {
	var envelope struct {
		Data struct {
			JobID string `json:"job_id"`
		} `json:"data"`
	}
	if jsonv2.Unmarshal(answer, &envelope) != nil {
		return ""
	}
	return envelope.Data.JobID
}

// wait shows the progress of a job until it has ended, then prints the rows it
// collected, or the job if there are none.
func (a *app) wait(request callRequest, id string, how outputOptions) error {
	request.key = ""
	answer, state, err := a.follow(&request, id, how)
	if err != nil {
		return err
	}
	if state.Errors > 0 {
		_, _ = fmt.Fprintf(a.Err, "%d of %d failed: run gatehouse exec JOB.RESULT_GET job_id=%s part=errors to list the errors\n", state.Errors, state.Done, id)
	}
	if state.Rows == 0 || state.Status != "succeeded" {
		err = a.show(reply{envelope: answer, ok: true}, how)
	} else {
		err = a.printRows(&request, id, state.OrgID, how)
	}
	if err == nil && state.Status != "succeeded" {
		err = errSaidNo
	}
	return err
}

// follow polls a job until it has ended.
func (a *app) follow(request *callRequest, id string, how outputOptions) (jsontext.Value, jobState, error) {
	request.body = callBody("JOB.GET", `{"job_id":"`+id+`"}`)
	for shown := ""; ; {
		answer, err := a.insist(request, how)
		if err != nil {
			return nil, jobState{}, err
		}
		var envelope struct {
			Data struct {
				Job jobState `json:"job"`
			} `json:"data"`
		}
		if err := jsonv2.Unmarshal(answer, &envelope); err != nil {
			return nil, jobState{}, &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
		}
		state := envelope.Data.Job
		if line := a.progress(state); line != shown {
			_, _ = fmt.Fprint(a.Err, line)
			shown = line
		}
		if state.ended() {
			if a.Terminal {
				_, _ = fmt.Fprintln(a.Err)
			}
			return answer, state, nil
		}
		if err := wait.For(a.ctx, lookAgain); err != nil {
			return nil, jobState{}, fmt.Errorf("the job %s is still running: %w", id, err)
		}
	}
}

// progress formats the progress of a job: a bar that replaces the previous one on a
// terminal, else a line.
func (a *app) progress(j jobState) string {
	count := fmt.Sprintf("%d/%d", j.Done, j.Total)
	if !a.Terminal {
		return count + "\n"
	}
	full := barWidth
	if j.Total > 0 {
		full = min(barWidth, barWidth*j.Done/j.Total)
	} else if !j.ended() {
		full = 0
	}
	return "\r[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] " + count + " " + j.Status + "\x1b[K"
}

// resultParams returns the parameters of JOB.RESULT_GET for a job, without the closing brace.
func resultParams(id, org string) string {
	params := `{"job_id":"` + id + `"`
	if org != "" {
		params += `,"org_id":"` + org + `"`
	}
	return params
}

// printRows prints the rows of a job, page by page, one on a line.
func (a *app) printRows(request *callRequest, id, org string, how outputOptions) error {
	begin := resultParams(id, org)
	for cursor := ""; ; {
		params := begin
		if cursor != "" {
			params += `,"cursor":"` + cursor + `"`
		}
		request.body = callBody("JOB.RESULT_GET", params+"}")
		answer, err := a.insist(request, how)
		if err != nil {
			return err
		}
		var envelope struct {
			Data struct {
				Items []jsontext.Value `json:"items"`
				Next  string           `json:"next_cursor"`
			} `json:"data"`
		}
		if err := jsonv2.Unmarshal(answer, &envelope); err != nil {
			return &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
		}
		for _, item := range envelope.Data.Items {
			if err := a.printRow(item); err != nil {
				return err
			}
		}
		if cursor = envelope.Data.Next; cursor == "" {
			return nil
		}
	}
}

// printRow prints an object as JSON, and a text unquoted.
func (a *app) printRow(item jsontext.Value) error {
	line := string(item)
	if item.Kind() == '"' {
		if err := jsonv2.Unmarshal(item, &line); err != nil {
			return &unreachableError{cause: fmt.Errorf("read a row: %w", err)}
		}
	}
	return a.printf("%s\n", line)
}

// insist makes a call, and repeats it while it is rate limited. Other errors are
// printed.
func (a *app) insist(request *callRequest, how outputOptions) (jsontext.Value, error) {
	for {
		answer, err := a.callAs(request, how.profile)
		switch {
		case err != nil || answer.ok:
			return answer.envelope, err
		case refusalOf(answer.envelope).Code != "RATE_LIMITED":
			return nil, a.show(answer, how)
		}
		if err := wait.For(a.ctx, lookAgain); err != nil {
			return nil, fmt.Errorf("wait for the rate limit: %w", err)
		}
	}
}

// callBody returns the request body of a call by --wait.
func callBody(name, params string) jsontext.Value {
	return execCommand{}.body(name, jsontext.Value(params))
}
