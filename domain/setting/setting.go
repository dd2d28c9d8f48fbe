// Package setting is the model of settings of the instance that can be changed at run
// time. The environment provides their defaults; stored values override them.
package setting

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/workspace"
)

// The values of the setting audiences.
const (
	// AudiencesFirstUse allows apps to claim unassigned audiences.
	AudiencesFirstUse = "first_use"
	// AudiencesRegistered requires audiences to be registered by a superadmin, or by a
	// workspace under its verified domain.
	AudiencesRegistered = "registered"
)

// The values of the setting workspace_creation.
const (
	// WorkspacesByAnyone allows everybody to create workspaces.
	WorkspacesByAnyone = "anyone"
	// WorkspacesBySuperadmin leaves that to superadmins.
	WorkspacesBySuperadmin = "superadmin"
)

// The values of the setting client_registration.
const (
	// RegistrationOff allows the registration of clients by APP.REGISTER only.
	RegistrationOff = "off"
	// RegistrationAuthenticated also by OAUTH.CLIENT_REGISTER, with a credential that may
	// register apps.
	RegistrationAuthenticated = "authenticated"
	// RegistrationOpen allows everybody to register clients.
	RegistrationOpen = "open"
)

// Values is every setting with its value in force.
type Values struct {
	PublicRegistration    bool     `json:"public_registration" doc:"Whether anyone can sign up. Defaults to true."`
	EmailCodes            bool     `json:"email_codes" doc:"Whether users can sign in with an emailed code. Disabling it ends sign-ins that were started with a code. Emailed links, and codes as a second factor, continue to work. Defaults to true."`
	AccessTokenSeconds    int      `json:"access_token_seconds" doc:"Lifetime of an access token. Seconds. Defaults to 900." jsonschema:"minimum=60,maximum=86400"`
	RefreshRetrySeconds   int      `json:"refresh_retry_seconds" doc:"Time in which a refresh token that was just replaced can be used again, in case the response was lost. Seconds. Use 0 to disable retries. Defaults to 10." jsonschema:"minimum=0,maximum=60"`
	Audiences             string   `json:"audiences" doc:"Audiences that apps can get tokens for, besides the slugs of their workspace's apps. first_use: any audience that no other workspace has; the first app that requests it claims it for its workspace. registered: only audiences that a superadmin registered, or the workspace registered under its verified domain. Defaults to first_use." jsonschema:"enum=first_use,enum=registered"`
	PermissionsClaim      bool     `json:"permissions_claim" doc:"Whether users' access tokens carry the custom permissions of the workspace that the user holds, in the claim permissions. With more than 100, the claim is omitted and permissions_overflow is true. Defaults to false."`
	CORSOrigins           []string `json:"cors_origins" doc:"Origins of browser pages that can call the API, such as https://app.example.com. Use * to allow any origin." jsonschema:"maxItems=100"`
	WorkspaceCreation     string   `json:"workspace_creation" doc:"Callers that can create shared workspaces: anyone, or superadmin only. Defaults to anyone." jsonschema:"enum=anyone,enum=superadmin"`
	MaxWorkspaces         int      `json:"max_workspaces_per_user" doc:"Maximum number of workspaces that an account can own, besides its personal one. Defaults to 50." jsonschema:"minimum=0,maximum=1000000"`
	MaxApps               int      `json:"max_apps" doc:"Maximum number of apps per workspace. Defaults to 100." jsonschema:"minimum=1,maximum=1000000"`
	MaxAPIKeys            int      `json:"max_api_keys" doc:"Maximum number of active API keys per workspace. Defaults to 1,000." jsonschema:"minimum=1,maximum=1000000"`
	MaxStoredAnswers      int      `json:"max_stored_answers" doc:"Maximum number of answers to Idempotency-Keys stored per workspace at any time. Each is kept for 24 hours. Defaults to 10,000." jsonschema:"minimum=1,maximum=10000000"`
	MaxInvitationsPerUser int      `json:"max_invitations_per_user" doc:"Maximum number of invitations that an account can send per hour, across all workspaces. Defaults to 200." jsonschema:"minimum=1,maximum=1000000"`
	MaxInvitations        int      `json:"max_invitations" doc:"Maximum number of invitations that the instance sends per hour. Defaults to 1,000." jsonschema:"minimum=1,maximum=1000000"`
	AuditMegabytes        int      `json:"audit_megabytes" doc:"Maximum volume of audit entries that a workspace's apps can record with AUDIT.RECORD per day (UTC). Megabytes. Defaults to 20." jsonschema:"minimum=1,maximum=100000"`
	AuditDays             int      `json:"audit_days" doc:"Days that events, and so the audit log, are kept. Older events are deleted permanently. Defaults to 400." jsonschema:"minimum=1,maximum=36500"`
	DeliveryDays          int      `json:"delivery_days" doc:"Days that webhook deliveries and their attempts are kept. Older ones are deleted permanently. Defaults to 30." jsonschema:"minimum=1,maximum=365"`
	RunsDays              int      `json:"runs_days" doc:"Days that flow runs are kept. Older ones are deleted permanently. Defaults to 30." jsonschema:"minimum=1,maximum=365"`
	FlowRunSample         int      `json:"flow_run_sample" doc:"Sampling rate of flow runs that only allow: one in this many is kept. All other runs are kept. Defaults to 1." jsonschema:"minimum=1,maximum=1000000"`
	WebhookInFlight       int      `json:"webhook_in_flight" doc:"Maximum number of messages in flight to one webhook endpoint at any time. Defaults to 10." jsonschema:"minimum=1,maximum=1000"`
	WebhookFailingDays    int      `json:"webhook_failing_days" doc:"Days after which a webhook endpoint that accepted nothing is disabled. Defaults to 5." jsonschema:"minimum=1,maximum=365"`

	BillingSellers []workspace.ID `json:"billing_sellers" doc:"IDs of workspaces that can sell through a real payment processor. If empty, workspaces owned by superadmins can." jsonschema:"maxItems=1000"`

	ClientRegistration string         `json:"client_registration" doc:"Whether clients can register themselves with OAUTH.CLIENT_REGISTER (RFC 7591). off: never. authenticated: with a credential that can register apps. open: anyone can, and users see a warning that the client is not vouched for. Defaults to off." jsonschema:"enum=off,enum=authenticated,enum=open"`
	ClientWorkspace    []workspace.ID `json:"client_workspace" doc:"Workspace that unvouched clients belong to: clients that registered openly, and clients described by a metadata document. They can get tokens for its APIs. Empty to use the personal workspace of the first superadmin." jsonschema:"maxItems=1"`

	ClientMetadataDocuments bool `json:"client_metadata_documents" doc:"Whether the URL of a Client ID Metadata Document is accepted as a client_id. The document is fetched and describes the client. Users see a warning that the client is not vouched for. Defaults to false."`

	FeaturesClaim []feature.Key `json:"features_claim" doc:"Boolean features that users' access tokens carry in the claim features, with the user's values in the token's workspace. If empty, tokens carry no such claim and no features are read." jsonschema:"maxItems=50"`
}

// Defaults returns the values without environment or store.
func Defaults() Values {
	return Values{
		PublicRegistration: true, EmailCodes: true, AccessTokenSeconds: 900, RefreshRetrySeconds: 10, Audiences: AudiencesFirstUse, CORSOrigins: []string{}, FeaturesClaim: []feature.Key{},
		WorkspaceCreation: WorkspacesByAnyone, MaxWorkspaces: 50,
		MaxApps: 100, MaxAPIKeys: 1000, MaxStoredAnswers: 10_000,
		MaxInvitationsPerUser: 200, MaxInvitations: 1000, AuditMegabytes: 20, AuditDays: 400,
		BillingSellers: []workspace.ID{}, ClientRegistration: RegistrationOff, ClientWorkspace: []workspace.ID{},
		DeliveryDays: 30, RunsDays: 30, FlowRunSample: 1, WebhookInFlight: 10, WebhookFailingDays: 5,
	}
}

// AccessTokenLife returns the lifetime of an access token.
func (v Values) AccessTokenLife() time.Duration {
	return time.Duration(v.AccessTokenSeconds) * time.Second
}

// RegisteredAudiences reports whether audiences must have been registered.
func (v Values) RegisteredAudiences() bool { return v.Audiences == AudiencesRegistered }

// TakesStrangers reports whether clients may come that nobody registered: by open
// registration, or by a metadata document.
func (v Values) TakesStrangers() bool {
	return v.ClientRegistration == RegistrationOpen || v.ClientMetadataDocuments
}

// RegistersClients reports whether clients may register themselves.
func (v Values) RegistersClients() bool { return v.ClientRegistration != RegistrationOff }

// RefreshRetry returns the retry window of a replaced refresh token.
func (v Values) RefreshRetry() time.Duration {
	return time.Duration(v.RefreshRetrySeconds) * time.Second
}

// AuditBytes is how many bytes of audit entries a workspace may record a day.
func (v Values) AuditBytes() int { return v.AuditMegabytes * 1_000_000 }

// AuditLife is how long events are kept.
func (v Values) AuditLife() time.Duration { return time.Duration(v.AuditDays) * 24 * time.Hour }

// RunLife is how long runs of flows are kept.
func (v Values) RunLife() time.Duration { return time.Duration(v.RunsDays) * 24 * time.Hour }

// DeliveryLife is how long deliveries of webhooks are kept.
func (v Values) DeliveryLife() time.Duration { return time.Duration(v.DeliveryDays) * 24 * time.Hour }

// WebhookPatience is how long a webhook may take nothing.
func (v Values) WebhookPatience() time.Duration {
	return time.Duration(v.WebhookFailingDays) * 24 * time.Hour
}

// KindUpdated is the kind of Updated.
const KindUpdated event.Kind = "settings.updated"

// Updated is the content of settings.updated.
type Updated struct {
	Changed []string `json:"changed" doc:"Keys of the settings that were set or reset."`
}

// Kind is settings.updated.
func (Updated) Kind() event.Kind { return KindUpdated }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{Summary: "Runtime settings were updated.", Example: Updated{[]string{"public_registration"}}}}
}
