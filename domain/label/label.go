// Package label holds every text that enters a keyed digest, a derived key or the associated
// data of an encrypted value. The texts keep the uses of one key apart.
//
// None of them may ever change, not even in spelling: the value that was stored under a label is
// found or opened only under the same label. The golden test of the package holds them to what
// earlier releases stored. A new use takes a new label.
package label

// Labels of blind indexes: digests under which encrypted values are found.
const (
	Email           = "email"
	ExternalID      = "external_id"
	IP              = "ip"
	UpstreamID      = "upstream_id"
	SearchPart      = "search part"
	SearchWord      = "search word"
	LicenseKey      = "licence key"
	Machine         = "licence machine"
	LicenseUse      = "licence use"
	LeaseUser       = "licence lease user"
	SubscriptionUse = "subscription use"
)

// Labels of digests of codes and requests. The digest of the challenge follows ChallengeCode.
const (
	ChallengeCode   = "challenge code/"
	LoginCodes      = "login codes"
	OAuthUserCode   = "oauth user code"
	Idempotency     = "idempotency"
	IdempotencyBody = "idempotency_body"
	Form            = "form"
	SessionForm     = "session form"
	RedisInstance   = "redis"
)

// Labels of the counters of rate limits.
const (
	RateLimit            = "rate_limit"
	RateLimitFailures    = "rate_limit_failures"
	FlowRateLimit        = "flow_rate_limit"
	InvitationsWorkspace = "invitations/workspace"
	InvitationsInviter   = "invitations/inviter"
	InvitationsInstance  = "invitations/instance"
	InvitationsMailbox   = "invitations/mailbox"
	Mailbox              = "mailbox"
	MailboxNotices       = "mailbox/notices"
	MailboxUnproved      = "mailbox/unproved"
	MailboxFactors       = "mailbox/factors"
	MailboxChanges       = "mailbox/changes"
)

// Labels of message authentication codes.
const (
	RefreshToken          = "token"
	RefreshTokenSuccessor = "successor"
	OAuthCode             = "oauth_code"
	OAuthRefresh          = "oauth_refresh"
	OAuthSuccessor        = "oauth_successor"
	OAuthDevice           = "oauth_device"
	OAuthSubject          = "oauth_subject"
	Cursor                = "cursor"
	List                  = "list"
	FlowSecret            = "flow"
)

// Purposes of keys that are derived from JWT_SECRET or ENCRYPTION_KEY by HKDF (RFC 5869).
const (
	KeyNamespace    = "gatehouse/v1/"
	Seal            = "seal"
	KeyID           = "key id/"
	SigningKeys     = "gatehouse signing keys"
	StoredAnswers   = "gatehouse stored answers"
	BrowserSessions = "gatehouse browser sessions"
	PendingRequests = "gatehouse pending requests"
	RefreshTokens   = "gatehouse refresh tokens"
	PageCursors     = "gatehouse page cursors"
	PageForms       = "gatehouse page forms"
	FlowQuestions   = "gatehouse flow questions"
	PaymentSandbox  = "gatehouse payment sandbox"
)
