package kit

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
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
func (v *Visit) Relay(command string, params any, bearer string) error {
	sent, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("write the parameters of %s: %w: %w", command, client.ErrParams, err)
	}
	reply := v.Send(inbound.Request{Command: command, Params: sent}, bearer)
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

// AnswerJSON answers a page's script.
func (v *Visit) AnswerJSON(status int, said any) error {
	body, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	return v.answer(status, body)
}
