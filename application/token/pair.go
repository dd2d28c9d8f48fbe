package token

import "gatehouse.internal/domain/secret"

// Pair holds the tokens of a login (specification section 2.4).
type Pair struct {
	AccessToken  secret.Shown `json:"access_token" doc:"Bearer token for protected commands."`
	RefreshToken secret.Shown `json:"refresh_token" doc:"Token that AUTH.REFRESH takes once for a new pair."`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until the access token expires."`
	TokenType    string       `json:"token_type" doc:"Always Bearer (RFC 6750)."`
}

// NewPair joins the two tokens.
func NewPair(access, refresh secret.Shown, expiresIn int) Pair {
	return Pair{AccessToken: access, RefreshToken: refresh, ExpiresIn: expiresIn, TokenType: "Bearer"}
}
