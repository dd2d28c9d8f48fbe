package contract

import (
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Conditions are what a replica of a store is opened with.
type Conditions struct {
	// Personal seals personal data, Secrets what only the service itself may read.
	Personal, Secrets outbound.Sealer
	Clock             outbound.Clock
	IDs               outbound.IDs
	Random            outbound.Random
	// CheckOnly refuses tables that are out of date instead of changing them.
	CheckOnly bool
}

// Ports is one replica of a store, by the ports that the service uses it through.
type Ports struct {
	outbound.Transactions
	outbound.Answers

	Unit outbound.Unit[Repos]
	// Close closes the replica. Calls under way fail.
	Close func() error
	// Writers is how many transactions the replica can have open at once.
	Writers int
	// Mailed gets a signal after this replica committed a request for mail.
	Mailed <-chan struct{}

	Admission outbound.Admission
	// Recalls reports whether Admission answers from memory (outbound.Pending).
	Recalls       bool
	LimitCounters ops.LimitCounters
	AuditTrail    outbound.AuditTrail

	Instance          ops.Instance
	WorkspacePolicies ops.WorkspacePolicies
	FlowDirectory     ops.FlowDirectory
	FlowRunDirectory  ops.FlowRunDirectory
	Assessments       signin.AssessmentDirectory
	IPRuleDirectory   ops.IPRuleDirectory
	Upkeep            ops.Upkeep
	Reencryption      ops.Reencryption
	Replicas          ops.Replicas

	Accounts         people.Accounts
	Lockouts         people.Lockouts
	Rotations        people.Rotations
	GrantTurns       delegation.GrantTurns
	MemberDirectory  people.MemberDirectory
	NoticeDirectory  people.NoticeDirectory
	SessionDirectory people.SessionDirectory
	UserDirectory    people.UserDirectory
	SearchIndex      people.SearchIndex

	ImpersonationDirectory people.ImpersonationDirectory

	Links             signin.Links
	Openings          signin.Openings
	DeviceDirectory   signin.DeviceDirectory
	FactorDirectory   signin.FactorDirectory
	IdentityDirectory signin.IdentityDirectory
	PasskeyDirectory  signin.PasskeyDirectory
	SocialDirectory   signin.SocialDirectory

	Clients           machines.Clients
	LastUses          machines.LastUses
	Proofs            machines.Proofs
	Redirects         machines.Redirects
	TokenIssues       machines.TokenIssues
	APIKeyDirectory   machines.APIKeyDirectory
	AppDirectory      machines.AppDirectory
	BindingDirectory  machines.BindingDirectory
	ResourceDirectory machines.ResourceDirectory
	TokenDirectory    machines.TokenDirectory

	OAuthDevices delegation.DeviceDirectory

	MailQueue            mailing.Queue
	SuppressionDirectory mailing.SuppressionDirectory
	TemplateDirectory    mailing.TemplateDirectory

	BrandingDirectory  workspaces.BrandingDirectory
	Rights             workspaces.Rights
	GroupDirectory     workspaces.GroupDirectory
	GroupMemberships   workspaces.GroupMemberships
	RelationDirectory  workspaces.RelationDirectory
	WorkspaceDirectory workspaces.WorkspaceDirectory
	Invitations        workspaces.InvitationDirectory
	Domains            workspaces.MailDomainDirectory
}

// Repos is every repository that writes.
type Repos struct {
	Users          people.Users
	Sessions       people.Sessions
	Notices        people.Notices
	Acted          people.Impersonations
	Credentials    signin.Credentials
	LoginFailures  signin.LoginFailures
	Passkeys       signin.Passkeys
	Challenges     signin.Challenges
	Guesses        signin.Guesses
	Factors        signin.SecondFactors
	Entrants       signin.Entrants
	LoginMethods   signin.LoginMethods
	Devices        signin.Devices
	Clients        signin.KnownClients
	Identities     signin.Identities
	Setups         signin.SocialSetups
	Workspaces     workspaces.Workspaces
	CreationLimits workspaces.CreationLimits
	Deletions      workspaces.Deletions
	Invitations    workspaces.Invitations
	Domains        workspaces.MailDomains
	Due            workspaces.DueDomains
	Own            workspaces.UserWorkspaces
	Brandings      workspaces.Brandings
	Relations      workspaces.Relations
	Books          workspaces.Books
	Roles          workspaces.Roles
	OwnRights      workspaces.OwnPermissions
	Groups         workspaces.Groups
	GroupHolds     workspaces.GroupHolds
	Events         outbound.Events
	Log            outbound.AuditLog
	Settings       ops.Settings
	Policies       ops.Policies
	Flows          ops.Flows
	FlowRuns       ops.FlowRuns
	Assessments    signin.Assessments
	Histories      signin.RiskHistories
	IPRules        ops.IPRules
	KeyRing        ops.KeyRing
	LimitRules     ops.LimitRules
	Bindings       machines.DPoPBindings
	Grants         delegation.Grants
	Consents       delegation.Consents
	OAuthDevices   delegation.Devices
	APIKeys        machines.APIKeys
	Apps           machines.Apps
	Tokens         machines.IssuedTokens
	Resources      machines.Resources
	Audiences      machines.AudienceDomains
	Quotas         machines.Quotas
	Mails          mailing.Mails
	Outbox         mailing.Outbox
	Suppressions   mailing.Suppressions
	Templates      mailing.Templates
}
