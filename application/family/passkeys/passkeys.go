// Package passkeys implements the family WEBAUTHN: all commands of passkeys
// (specification section 4.6).
package passkeys

import (
	"encoding/json"
	"fmt"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/application/view"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Users        people.Users
	Passkeys     signin.Passkeys
	Factors      signin.SecondFactors
	LoginMethods signin.LoginMethods
	Challenges   signin.Challenges
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit       outbound.Unit[Repos]
	Ceremonies *passkey.Service
	Directory  signin.PasskeyDirectory
	Users      people.UserDirectory
	Policies   account.Policies
	Providers  account.Providers
	Clock      outbound.Clock
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.registerOptions(),
		s.registerVerify(),
		s.loginOptions(),
		s.loginVerify(),
		s.listCredentials(),
		s.revoke(),
		s.update(),
		s.signupOptions(),
		s.signupVerify(),
	}
}

// Options are what a browser's credential API takes, as JSON.
type Options map[string]json.RawMessage

func written(text []byte) (Options, error) {
	var o Options
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("read the options of a ceremony: %w", err)
	}
	return o, nil
}

// CreationOptions are those of navigator.credentials.create().
type CreationOptions Options

// SchemaFragment describes them in a JSON Schema.
func (CreationOptions) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object",
		"examples": []any{map[string]any{
			"rp":               map[string]any{"id": "auth.example.com", "name": "auth.example.com"},
			"user":             map[string]any{"id": "dXNyXzAxamQ3eDlrMm1mM3E4djV0MGFiY2RlZmdo", "name": "ada@example.com", "displayName": "Ada"},
			"challenge":        "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
			"pubKeyCredParams": []any{map[string]any{"type": "public-key", "alg": -7}},
		}},
	}
}

// RequestOptions are those of navigator.credentials.get().
type RequestOptions Options

// SchemaFragment describes them in a JSON Schema.
func (RequestOptions) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object",
		"examples": []any{map[string]any{
			"rpId": "auth.example.com", "challenge": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", "userVerification": "required",
		}},
	}
}

// Attestation is what navigator.credentials.create() gave, as JSON. What its members
// must be is said by whoever reads it.
type Attestation map[string]json.RawMessage

// SchemaFragment describes it in a JSON Schema.
func (Attestation) SchemaFragment() map[string]any {
	return credential(map[string]any{
		"clientDataJSON":    "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoibDh0RnJoeC0zNHRWM2hSSUNSRFk5ekNrRGxwQmhGNDJVUVVmV1ZBV0JGcyIsIm9yaWdpbiI6Imh0dHBzOi8vYXV0aC5leGFtcGxlLmNvbSJ9",
		"attestationObject": "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikwgTIVP_l81o7hSCL2YnGDRxW1Wz9mm4vWPKLltF-BzNFAAAAADiq3VgxFqUJ3qEBYizMAwUAIMiJ1zSVbwdx_kY5Q9RDE_xuuiUNnhgqLZyZeXvB8YbEpQECAyYgASFYICfWhyYPGi7Vh4mrPSrHcxUhWbI0e5TAc58tm9eciwH-IlggHvOR_aHFru2fJs96-j0OBu7OJdPfz7cukEL_QPq5E3I",
	})
}

// Assertion is what navigator.credentials.get() gave, likewise.
type Assertion map[string]json.RawMessage

// SchemaFragment describes it in a JSON Schema.
func (Assertion) SchemaFragment() map[string]any {
	return credential(map[string]any{
		"clientDataJSON":    "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoibDh0RnJoeC0zNHRWM2hSSUNSRFk5ekNrRGxwQmhGNDJVUVVmV1ZBV0JGcyIsIm9yaWdpbiI6Imh0dHBzOi8vYXV0aC5leGFtcGxlLmNvbSJ9",
		"authenticatorData": "wgTIVP_l81o7hSCL2YnGDRxW1Wz9mm4vWPKLltF-BzMFAAAAAA",
		"signature":         "MEYCIQDOzudkNHfby3q67YlzSPTvzlAqHaz0UBIOi-e2XPZMTQIhAMI0rctVTNOhW61Nz1eCCNbpkH4IC9i2TDZQccixAegD",
		"userHandle":        "dXNyXzAxamQ3eDlrMm1mM3E4djV0MGFiY2RlZmdo",
	})
}

// credential describes what a browser's credential API gives, with an example of its
// response.
func credential(response map[string]any) map[string]any {
	const id = "yInXNJVvB3H-RjlD1EMT_G66JQ2eGCotnJl5e8HxhsQ"
	return map[string]any{
		"type": "object", "maxProperties": 16,
		"examples": []any{map[string]any{
			"id": id, "rawId": id, "type": "public-key", "response": response,
		}},
	}
}

// text writes what the browser gave as the library reads it.
func text(given map[string]json.RawMessage) ([]byte, error) {
	written, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("write a credential: %w", err)
	}
	return written, nil
}

// CredentialResult is a passkey after a change.
type CredentialResult struct {
	Credential view.Passkey `json:"credential" doc:"The passkey after the change."`
}
