package dpop

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
)

// VerifyParams are the parameters of DPOP.VERIFY.
type VerifyParams struct {
	Proof       string        `json:"proof" doc:"Proof from the DPoP header: a compact JWS." jsonschema:"minLength=1,maxLength=8192"`
	Method      string        `json:"method" doc:"HTTP method of the request that carried the proof. Case-sensitive." jsonschema:"minLength=1,maxLength=32,pattern=^[!#$%&'*+.^_|~0-9A-Za-z-]+$,example=POST"`
	URL         string        `json:"url" doc:"URL of the request that carried the proof, http or https. Query and fragment are ignored." jsonschema:"minLength=1,maxLength=2048,example=https://api.example.com/orders"`
	AccessToken secret.String `json:"access_token,omitzero" doc:"Access token that was sent with the proof. If you provide it, the proof must contain its hash. Use M2M.INTROSPECT to check whether the token is valid and bound to this key: this command does not." jsonschema:"minLength=1,maxLength=8192"`
}

// VerifyResult is the result of DPOP.VERIFY.
type VerifyResult struct {
	Valid      bool   `json:"valid" doc:"Whether the proof is valid and is used for the first time."`
	Thumbprint string `json:"thumbprint" doc:"SHA-256 thumbprint of the key that signed the proof (RFC 7638). Empty if the proof is not valid."`
	Error      string `json:"error,omitzero" doc:"Reason the proof is not valid, starting with invalid_dpop_proof. Absent if it is valid."`
}

func (s *Service) verify() command.Definition {
	return command.Define(command.Spec[VerifyParams, VerifyResult]{
		Name:    "DPOP.VERIFY",
		Summary: "Verify a DPoP proof (RFC 9449).",
		Description: "The proof JWT is checked against the method, the URL and the access token (RFC 9449, section 4.3). A valid proof is valid only once: " +
			"verifying it marks its `jti` as used.",
		Access:  access.Anybody().Unscoped(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Handle: func(ctx context.Context, _ command.Call, p VerifyParams) (VerifyResult, error) {
			if _, err := dpop.NormalizeURL(p.URL); err != nil {
				return VerifyResult{}, fault.Invalid("/url", fault.From(err).Message)
			}
			thumbprint, err := s.Checker.Check(ctx, proof.Proof{
				Text: p.Proof, Method: p.Method, URL: p.URL, AccessToken: p.AccessToken.Reveal(),
			})
			if refused := fault.From(err); err != nil && refused.Code == fault.Auth {
				return VerifyResult{Error: refused.Message}, nil
			}
			return VerifyResult{Valid: err == nil, Thumbprint: thumbprint}, err
		},
	})
}
