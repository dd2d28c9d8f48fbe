package kit

import "time"

// The results of commands, with the fields that pages use.

// Outcome is the result of a login.
type Outcome struct {
	AccessToken     string   `json:"access_token"`
	RefreshToken    string   `json:"refresh_token"`
	MFARequired     bool     `json:"mfa_required"`
	ChallengeToken  string   `json:"challenge_token"`
	Methods         []string `json:"methods"`
	RequiredActions []string `json:"required_actions"`
}

type Profile struct {
	ID            string    `json:"id"`
	Email         string    `json:"email"`
	EmailVerified bool      `json:"email_verified"`
	DisplayName   string    `json:"display_name"`
	Superadmin    bool      `json:"is_superadmin"`
	Status        string    `json:"status"`
	CreatedAt     time.Time `json:"created_at"`
}

type factor struct {
	ID         string    `json:"id"`
	Method     string    `json:"method"`
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
}

// Label returns the label of the factor.
func (f factor) Label() string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Method == "totp":
		return "Authenticator app"
	default:
		return "Codes by email"
	}
}

type Factors struct {
	Items             []factor `json:"items"`
	RecoveryCodesLeft int      `json:"recovery_codes_left"`
	Required          bool     `json:"required"`
}

// FewCodes reports whether so few recovery codes are left that new ones are
// recommended.
func (f Factors) FewCodes() bool {
	const few = 3
	return f.RecoveryCodesLeft <= few
}

// MostListed is the maximum number of items in a page of a list.
const MostListed = 200

type List[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor"`
}

// Fact is a named value of an event or of a flow's context.
type Fact struct{ Name, Value string }
