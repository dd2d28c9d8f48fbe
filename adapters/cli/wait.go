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
	// lookAgain is how long --wait waits between two looks at a job, or after one call too many.
	lookAgain = time.Second
	// barWidth is that of the bar of a job in progress.
	barWidth = 30
)

// jobState is a job as JOB.GET tells of it.
type jobState struct {
	Status string `json:"status"`
	Done   int    `json:"done"`
	Total  int    `json:"total"`
	Errors int    `json:"errors"`
	Rows   int    `json:"rows"`
	Reason string `json:"reason"`
}

func (j jobState) ended() bool { return j.Status != "queued" && j.Status != "running" }

// jobOf returns the job that an answer says was started, or "".
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

// wait shows how far a job is until it has ended, then prints what it collected; where that
// is nothing, it prints the job.
func (a *app) wait(request callRequest, id string, how shown) error {
	request.key = ""
	answer, state, err := a.follow(&request, id, how)
	if err != nil {
		return err
	}
	if state.Errors > 0 {
		_, _ = fmt.Fprintf(a.Err, "%d of %d were refused: gatehouse exec JOB.RESULT_GET job_id=%s part=errors\n", state.Errors, state.Done, id)
	}
	if state.Rows == 0 || state.Status != "succeeded" {
		err = a.show(answer, true, how)
	} else {
		err = a.printRows(&request, id, how)
	}
	if err == nil && state.Status != "succeeded" {
		err = errSaidNo
	}
	return err
}

// follow looks at a job until it has ended.
func (a *app) follow(request *callRequest, id string, how shown) (jsontext.Value, jobState, error) {
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
			return nil, jobState{}, &unreachableError{cause: fmt.Errorf("read the answer: %w", err)}
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
			return nil, jobState{}, fmt.Errorf("the job %s goes on: %w", id, err)
		}
	}
}

// progress is how far a job is: a bar that takes the place of the one before on a
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

// printRows prints what a job collected, page by page: a line for each row.
func (a *app) printRows(request *callRequest, id string, how shown) error {
	for cursor := ""; ; {
		params := `{"job_id":"` + id + `"`
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
			return &unreachableError{cause: fmt.Errorf("read the answer: %w", err)}
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

// printRow prints an object as JSON, a text as it is.
func (a *app) printRow(item jsontext.Value) error {
	line := string(item)
	if item.Kind() == '"' {
		if err := jsonv2.Unmarshal(item, &line); err != nil {
			return &unreachableError{cause: fmt.Errorf("read a row: %w", err)}
		}
	}
	return a.printf("%s\n", line)
}

// insist makes a call, again after a while where there were too many. A refusal is shown.
func (a *app) insist(request *callRequest, how shown) (jsontext.Value, error) {
	for {
		answer, ok, err := a.callAs(request, how.profile)
		switch {
		case err != nil || ok:
			return answer, err
		case refusalOf(answer).Code != "RATE_LIMITED":
			return nil, a.show(answer, false, how)
		}
		if err := wait.For(a.ctx, lookAgain); err != nil {
			return nil, fmt.Errorf("wait for the limit of calls: %w", err)
		}
	}
}

// callBody returns the request body of a call that --wait makes.
func callBody(name, params string) jsontext.Value {
	return execCommand{}.body(name, jsontext.Value(params))
}
