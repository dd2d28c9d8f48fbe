package liveness

import (
	"math/bits"
	"strings"
)

// Reasons is a set of reasons why a credential is not live; the empty set if it is.
type Reasons uint32

// The reasons.
const (
	// Unknown means that the store has no such credential, or nothing of what it belongs to.
	Unknown Reasons = 1 << iota
	// SessionEnded means that the session was ended: of a grant, the one that it depends on.
	SessionEnded
	// SessionExpired means that the session has reached its end.
	SessionExpired
	// SessionIdle means that the session was not used for too long.
	SessionIdle
	// ImpersonationEnded means that the impersonation that the session is for has ended (impersonation.Standing).
	ImpersonationEnded
	// AccountDisabled means that the person may not use their account.
	AccountDisabled
	// NotMember means that the person does not belong to the workspace of the credential.
	NotMember
	// WorkspaceSuspended means that the workspace in which a person's credential acts is suspended.
	WorkspaceSuspended
	// KeyRevoked means that the API key was revoked.
	KeyRevoked
	// KeyExpired means that the API key, or the text of it that was presented, has expired.
	KeyExpired
	// AppDisabled means that the app is disabled.
	AppDisabled
	// OwnerDisabled means that the app is in the personal workspace of somebody who may not use
	// their account.
	OwnerDisabled
	// AppSuspended means that the workspace of the app is suspended.
	AppSuspended
	// TokenRevoked means that the M2M token itself was revoked.
	TokenRevoked
	// TokensRevoked means that all tokens of the app were revoked after this one was issued.
	TokensRevoked
	// TokenExpired means that the M2M token has expired.
	TokenExpired
	// AudienceMoved means that the audience of the token went to another workspace.
	AudienceMoved
	// GrantUnredeemed means that the code of the grant was not redeemed.
	GrantUnredeemed
	// GrantEnded means that the grant was ended.
	GrantEnded
	// GrantExpired means that the grant has reached its end.
	GrantExpired
	// GrantIdle means that the grant was not used for too long.
	GrantIdle
	// SourceEnded means that the grant whose token was exchanged for this one does not hold.
	SourceEnded
	end
)

// All are all reasons.
const All = end - 1

// What the doors look for. The package comment says which door uses which, and why.
const (
	SessionHolds   = Unknown | SessionEnded | SessionExpired | SessionIdle | ImpersonationEnded | AccountDisabled
	SessionRotates = Unknown | AccountDisabled
	SessionStands  = Unknown | SessionEnded
	SessionLists   = Unknown | SessionEnded | SessionExpired | SessionIdle

	KeyHolds  = Unknown | KeyRevoked | KeyExpired | NotMember | AccountDisabled
	KeyStands = Unknown | KeyRevoked | KeyExpired

	ClientHolds = Unknown | AppDisabled | OwnerDisabled

	TokenStands = Unknown | TokenRevoked | TokensRevoked | AppDisabled | OwnerDisabled
	TokenIssues = Unknown | TokensRevoked | OwnerDisabled | AppSuspended
	TokenLists  = TokenStands | TokenExpired | AudienceMoved | AppSuspended

	GrantRedeems = Unknown | AppDisabled | OwnerDisabled | AppSuspended | AccountDisabled | NotMember | SessionEnded | SessionExpired | SourceEnded
	GrantHolds   = GrantRedeems | GrantUnredeemed | GrantEnded | GrantExpired | GrantIdle
	GrantStands  = Unknown | GrantEnded
	GrantLists   = Unknown | GrantEnded | GrantExpired | SessionEnded
)

// Any reports whether one of the reasons is among others.
func (r Reasons) Any(others Reasons) bool { return r&others != 0 }

// Each returns the reasons one by one.
func (r Reasons) Each() []Reasons {
	each := make([]Reasons, 0, bits.OnesCount32(uint32(r)))
	for rest := r; rest != 0; rest &= rest - 1 {
		each = append(each, rest&-rest)
	}
	return each
}

// String returns the names of the reasons.
func (r Reasons) String() string {
	names := [...]string{
		"unknown", "session ended", "session expired", "session idle", "impersonation ended", "account disabled", "not a member",
		"workspace suspended", "key revoked", "key expired", "app disabled", "owner disabled", "app suspended", "token revoked", "tokens revoked",
		"token expired", "audience moved", "grant unredeemed", "grant ended", "grant expired", "grant idle", "source ended",
	}
	var of []string
	for _, one := range r.Each() {
		of = append(of, names[bits.TrailingZeros32(uint32(one))])
	}
	return strings.Join(of, ", ")
}

// when returns the reasons if they apply.
func (r Reasons) when(applies bool) Reasons {
	if applies {
		return r
	}
	return 0
}
