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
	PublicRegistration    bool     `json:"public_registration" doc:"Whether anybody may sign up."`
	EmailCodes            bool     `json:"email_codes" doc:"Whether people may sign in by a code that is mailed to them. What was begun by one ends when it is switched off; links that are mailed, and codes as a second factor, go on."`
	AccessTokenSeconds    int      `json:"access_token_seconds" doc:"Lifetime of an access token in seconds." jsonschema:"minimum=60,maximum=86400"`
	RefreshRetrySeconds   int      `json:"refresh_retry_seconds" doc:"Seconds in which a refresh token that was just replaced may be presented again because its answer was lost; 0 switches retries off." jsonschema:"minimum=0,maximum=60"`
	Audiences             string   `json:"audiences" doc:"Which audiences apps get tokens for beside the slugs of their workspace's apps: first_use, any that no other workspace has, the first app that asks claiming it for its workspace; registered, those alone that a superadmin registered, or the workspace did under a domain that it has verified." jsonschema:"enum=first_use,enum=registered"`
	PermissionsClaim      bool     `json:"permissions_claim" doc:"Whether access tokens of people carry the permissions of their workspace's own that they hold, as claim permissions: at most 100, of more there is none and permissions_overflow is true."`
	CORSOrigins           []string `json:"cors_origins" doc:"Origins of browser pages that may call this service, such as https://app.example.com; * stands for any." jsonschema:"maxItems=100"`
	WorkspaceCreation     string   `json:"workspace_creation" doc:"Who may make workspaces to share: anyone, or a superadmin alone." jsonschema:"enum=anyone,enum=superadmin"`
	MaxWorkspaces         int      `json:"max_workspaces_per_user" doc:"Workspaces that one account may own, besides the one that came with it." jsonschema:"minimum=0,maximum=1000000"`
	MaxApps               int      `json:"max_apps" doc:"Apps that a workspace may have." jsonschema:"minimum=1,maximum=1000000"`
	MaxAPIKeys            int      `json:"max_api_keys" doc:"Active API keys that a workspace may have." jsonschema:"minimum=1,maximum=1000000"`
	MaxStoredAnswers      int      `json:"max_stored_answers" doc:"Answers to Idempotency-Keys that are stored for a workspace at once; each is kept for 24 hours." jsonschema:"minimum=1,maximum=10000000"`
	MaxInvitationsPerUser int      `json:"max_invitations_per_user" doc:"Invitations that one account sends within an hour, over all workspaces." jsonschema:"minimum=1,maximum=1000000"`
	MaxInvitations        int      `json:"max_invitations" doc:"Invitations that the whole instance sends within an hour." jsonschema:"minimum=1,maximum=1000000"`
	AuditMegabytes        int      `json:"audit_megabytes" doc:"Megabytes of audit entries that the apps of a workspace may record on one day (UTC) through AUDIT.RECORD." jsonschema:"minimum=1,maximum=100000"`
	AuditDays             int      `json:"audit_days" doc:"Days that events are kept, which are the audit log; older ones are removed for good." jsonschema:"minimum=1,maximum=36500"`
	DeliveryDays          int      `json:"delivery_days" doc:"Days that deliveries of webhooks are kept, with their attempts; older ones are removed for good." jsonschema:"minimum=1,maximum=365"`
	RunsDays              int      `json:"runs_days" doc:"Days that runs of flows are kept; older ones are removed for good." jsonschema:"minimum=1,maximum=365"`
	FlowRunSample         int      `json:"flow_run_sample" doc:"Of runs of flows that only allow, one in so many is kept; all others are." jsonschema:"minimum=1,maximum=1000000"`
	WebhookInFlight       int      `json:"webhook_in_flight" doc:"Messages that are under way to one webhook at once." jsonschema:"minimum=1,maximum=1000"`
	WebhookFailingDays    int      `json:"webhook_failing_days" doc:"Days after which a webhook that took nothing is switched off." jsonschema:"minimum=1,maximum=365"`

	BillingSellers []workspace.ID `json:"billing_sellers" doc:"Workspaces that may sell by a real payment processor; none: those that superadmins own." jsonschema:"maxItems=1000"`

	ClientRegistration string         `json:"client_registration" doc:"Whether clients register themselves by OAUTH.CLIENT_REGISTER (RFC 7591): off; authenticated, with a credential of somebody who may register apps; open, everybody, and people are told that nobody vouches for such a client." jsonschema:"enum=off,enum=authenticated,enum=open"`
	ClientWorkspace    []workspace.ID `json:"client_workspace" doc:"The workspace that clients belong to for which nobody vouches: those that registered openly, and those that an address describes. They may have tokens for its APIs. Empty: the personal workspace of the first superadmin." jsonschema:"maxItems=1"`

	ClientMetadataDocuments bool `json:"client_metadata_documents" doc:"Whether the address of a Client ID Metadata Document is taken as a client_id: the document there is fetched and describes the client, and people are told that nobody vouches for it."`

	FeaturesClaim []feature.Key `json:"features_claim" doc:"Features whose values are true or false: access tokens of people carry those that the person has in the workspace of the token, as claim features. Empty: no token carries the claim, and nothing is read for it." jsonschema:"maxItems=50"`
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
	Changed []string `json:"changed" doc:"Names of the settings that were set or reset."`
}

// Kind is settings.updated.
func (Updated) Kind() event.Kind { return KindUpdated }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{Summary: "Runtime settings changed.", Example: Updated{[]string{"public_registration"}}}}
}
