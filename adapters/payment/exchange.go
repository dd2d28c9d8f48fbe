package payment

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
)

// Exchange makes a call to the API of a processor, and reads the JSON that it is answered by
// into a value, unless that is nil. It fails with what refused makes of an answer that is none
// of success.
func Exchange(by *http.Client, request *http.Request, into any, refused func(*http.Response) error) error {
	answer, err := by.Do(request) //nolint:gosec // its address is a constant of the adapter, or what the operator set
	if err != nil {
		return fmt.Errorf("call a processor: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return refused(answer)
	}
	if into == nil {
		return nil
	}
	if err := json.UnmarshalRead(answer.Body, into); err != nil {
		return fmt.Errorf("read the answer of a processor: %w", err)
	}
	return nil
}
