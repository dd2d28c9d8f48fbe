package payment

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
)

// Exchange sends a request to the API of a processor, and decodes the JSON of the response into a value,
// unless that is nil. If the status is not 2xx, it fails with the error that refused returns for the
// response.
func Exchange(by *http.Client, request *http.Request, into any, refused func(*http.Response) error) error {
	answer, err := by.Do(request) //nolint:gosec // its address is a constant of the adapter, or what the operator set
	if err != nil {
		return fmt.Errorf("call a payment processor: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return refused(answer)
	}
	if into == nil {
		return nil
	}
	if err := json.UnmarshalRead(answer.Body, into); err != nil {
		return fmt.Errorf("read the response of a payment processor: %w", err)
	}
	return nil
}
