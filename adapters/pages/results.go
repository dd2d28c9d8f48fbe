package pages

import (
	"time"

	"gatehouse.internal/domain/access"
)

// The results of commands, with the fields that pages use.

// outcome is the result of a login.
type outcome struct {
	AccessToken     string   `json:"access_token"`
	RefreshToken    string   `json:"refresh_token"`
	MFARequired     bool     `json:"mfa_required"`
	ChallengeToken  string   `json:"challenge_token"`
	Methods         []string `json:"methods"`
	RequiredActions []string `json:"required_actions"`
}

type profile struct {
	ID            string    `json:"id"`
	Email         string    `json:"email"`
	EmailVerified bool      `json:"email_verified"`
	DisplayName   string    `json:"display_name"`
	Superadmin    bool      `json:"is_superadmin"`
	Status        string    `json:"status"`
	CreatedAt     time.Time `json:"created_at"`
}

// caller is the result of AUTH.WHOAMI.
type caller struct {
	Subject     string             `json:"subject"`
	Org         string             `json:"org_id"`
	Roles       []string           `json:"roles"`
	Scopes      access.Permissions `json:"scopes"`
	Workspace   string             `json:"org_name"`
	HasPassword bool               `json:"has_password"`
	AuthTime    time.Time          `json:"auth_time"`
}

type openSession struct {
	ID         string    `json:"id"`
	IP         string    `json:"ip"`
	Device     string    `json:"device"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	Current    bool      `json:"current"`
	ActedBy    string    `json:"acted_by"`
}

// Name returns what the person knows the client by, or that it is none of theirs.
func (s openSession) Name() string {
	switch {
	case s.ActedBy != "":
		return "Support, acting as you"
	case s.Device == "":
		return "Unknown device"
	}
	return s.Device
}

type device struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Device     string    `json:"device"`
	IP         string    `json:"ip"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	ExpiresAt  time.Time `json:"expires_at"`
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

type factors struct {
	Items             []factor `json:"items"`
	RecoveryCodesLeft int      `json:"recovery_codes_left"`
	Required          bool     `json:"required"`
}

// FewCodes reports whether so few recovery codes are left that new ones are
// recommended.
func (f factors) FewCodes() bool {
	const few = 3
	return f.RecoveryCodesLeft <= few
}

type credential struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	BackedUp     bool      `json:"backed_up"`
	SecondFactor bool      `json:"second_factor_only"`
	CreatedAt    time.Time `json:"created_at"`
	LastUsedAt   time.Time `json:"last_used_at"`
}

type identity struct {
	Provider string    `json:"provider"`
	Email    string    `json:"email"`
	LinkedAt time.Time `json:"linked_at"`
}

type apiKey struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Prefix     string    `json:"prefix"`
	Scopes     []string  `json:"scopes"`
	Status     string    `json:"status"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	LastUsedAt time.Time `json:"last_used_at"`
}

type notice struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Headline  string    `json:"headline"`
	Message   string    `json:"message"`
	Device    string    `json:"device"`
	IP        string    `json:"ip"`
	CreatedAt time.Time `json:"created_at"`
	ReadAt    time.Time `json:"read_at"`
}

// mostListed is the maximum number of items in a page of a list.
const mostListed = 200

type list[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor"`
}

// ways are the enabled login methods, and whether registration is open.
type ways struct {
	Methods            []string `json:"methods"`
	Providers          []string `json:"providers"`
	PublicRegistration bool     `json:"public_registration"`
}
