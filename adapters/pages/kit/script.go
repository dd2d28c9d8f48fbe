package kit

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// Document returns JSON sent by a script; invalid JSON becomes null, which every schema
// rejects.
func Document(text string) jsontext.Value {
	if sent := jsontext.Value(text); sent.IsValid() {
		return sent
	}
	return jsontext.Value("null")
}

// Relay answers a page's script with the result of a command or an error message.
func (v *Visit) Relay(command string, p Params, bearer string) error {
	reply, err := v.execute(command, p, bearer)
	if err != nil {
		return err
	}
	if reply.Failure == nil {
		return v.answer(http.StatusOK, reply.Data)
	}
	said := struct {
		Message string `json:"message"`
		Go      string `json:"go,omitzero"`
	}{Message: Wording(reply.Failure)}
	switch {
	case IsNotRecent(reply.Failure):
		said.Go = WithReturn(ConfirmPath, v.here())
	case bearer != "" && v.Ended(reply.Failure):
		said.Go = WithReturn("/login", v.here())
	case reply.Failure.Code == fault.RateLimited:
		v.waitFor(reply.Failure)
	}
	return v.AnswerJSON(http.StatusUnprocessableEntity, said)
}

func (v *Visit) AnswerJSON(status int, said any) error {
	body, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	return v.answer(status, body)
}
