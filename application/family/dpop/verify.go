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
	Proof       string        `json:"proof" doc:"The proof, as it stood in the DPoP header: a compact JWS." jsonschema:"minLength=1,maxLength=8192"`
	Method      string        `json:"method" doc:"Method of the request that it came with; case matters." jsonschema:"minLength=1,maxLength=32,pattern=^[!#$%&'*+.^_|~0-9A-Za-z-]+$,example=POST"`
	URL         string        `json:"url" doc:"URL of that request, http or https; its query and fragment are not looked at." jsonschema:"minLength=1,maxLength=2048,example=https://api.example.com/orders"`
	AccessToken secret.String `json:"access_token,omitzero" doc:"Access token that came with it; the proof must name its hash then. Whether the token is good, and bound to this thumbprint, is not looked at: see M2M.INTROSPECT." jsonschema:"minLength=1,maxLength=8192"`
}

// VerifyResult is the result of DPOP.VERIFY.
type VerifyResult struct {
	Valid      bool   `json:"valid" doc:"Whether the proof is right and is seen for the first time."`
	Thumbprint string `json:"thumbprint" doc:"SHA-256 thumbprint of the key that made the proof (RFC 7638); empty unless it is valid."`
	Error      string `json:"error,omitzero" doc:"What is wrong with the proof, beginning with invalid_dpop_proof; absent when it is valid."`
}

func (s *Service) verify() command.Definition {
	return command.Define(command.Spec[VerifyParams, VerifyResult]{
		Name:    "DPOP.VERIFY",
		Summary: "Validate a proof JWT against method, URL and access token (RFC 9449 section 4.3); the jti of a valid one counts as used, so that it is valid once.",
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
