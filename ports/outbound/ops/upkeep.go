package ops

import (
	"context"
	"time"
)

// Upkeep looks after the store itself, outside any unit of work.
type Upkeep interface {
	// Ping answers when the store does.
	Ping(ctx context.Context) error
	// Migrated returns the version of the schema, and the one this program wants.
	Migrated(ctx context.Context) (have, want int64, err error)
	// Clocks returns the time that the store's own clock shows, zero where it has none,
	// and that of the newest event, zero where there is none.
	Clocks(ctx context.Context) (store, newest time.Time, err error)
	// Purge removes a batch of what has expired of one kind until a time, and returns how
	// many rows went; 0 means that nothing is left. Events have no end of their own:
	// those that happened until then go.
	Purge(ctx context.Context, kind PurgeKind, until time.Time) (int, error)
	// Rows counts the rows of each table; a count may be the database's estimate.
	Rows(ctx context.Context) (map[string]int64, error)
	// Bytes returns the size of the store.
	Bytes(ctx context.Context) (int64, error)
}

// PurgeKind names what can expire.
type PurgeKind string

// What can expire.
const (
	PurgeSessions      PurgeKind = "sessions"
	PurgeLimits        PurgeKind = "rate_limits"
	PurgeAnswers       PurgeKind = "idempotency_keys"
	PurgeLoginFailures PurgeKind = "login_failures"
	PurgeAPIKeys       PurgeKind = "api_keys"
	// PurgeKeySecrets are texts of API keys that were replaced.
	PurgeKeySecrets PurgeKind = "api_key_secrets"
	PurgeM2MTokens  PurgeKind = "m2m_tokens"
	PurgeProofs     PurgeKind = "dpop_proofs"
	PurgeBindings   PurgeKind = "dpop_bindings"
	// PurgeChallenges are links, codes and ceremonies that nobody came back for.
	PurgeChallenges    PurgeKind = "challenges"
	PurgeDevices       PurgeKind = "devices"
	PurgeMails         PurgeKind = "mails"
	PurgeNotifications PurgeKind = "notifications"
	PurgeEvents        PurgeKind = "events"
	// PurgeQuotaUses are counters of what was used of quotas.
	PurgeQuotaUses PurgeKind = "quota_uses"
	// PurgeSlugs are slugs of workspaces that nobody else might have for a while.
	PurgeSlugs PurgeKind = "reserved_slugs"
	// PurgeWorkspaces are deleted workspaces that no job emptied.
	PurgeWorkspaces PurgeKind = "workspaces"
	// PurgeInvitations are invitations that ended long ago.
	PurgeInvitations PurgeKind = "invitations"
	// PurgeProcessorEvents is what payment processors told long ago.
	PurgeProcessorEvents PurgeKind = "processor_events"
	// PurgeSubscriptionUses are the names of uses of subscriptions.
	PurgeSubscriptionUses PurgeKind = "subscription_uses"
	// PurgeLicenceKeys are keys of licences that were rotated away.
	PurgeLicenceKeys PurgeKind = "licence_keys"
	// PurgeMachines are machines of licences that lapsed long ago.
	PurgeMachines PurgeKind = "licence_machines"
	// PurgeLeases are leases of floating seats that ran out long ago.
	PurgeLeases PurgeKind = "licence_leases"
	// PurgeTransfers are moves of licences that count no more, and PurgeVacancies places that
	// were freed so long ago that taking one is no move.
	PurgeTransfers PurgeKind = "licence_transfers"
	PurgeVacancies PurgeKind = "licence_vacancies"
	// PurgeUsage is what was used of licences in periods that are over; PurgeUses are the
	// names of uses.
	PurgeUsage PurgeKind = "licence_usage"
	PurgeUses  PurgeKind = "licence_uses"
	// PurgeOverrides are overrides of features that expired.
	PurgeOverrides PurgeKind = "feature_overrides"
	// PurgeGuesses are wrong codes and passwords that count no more.
	PurgeGuesses PurgeKind = "guesses"
	// PurgeAssessments are assessments of risk.
	PurgeAssessments PurgeKind = "risk_assessments"
	// PurgeRelations are relation tuples that expired.
	PurgeRelations PurgeKind = "relation_tuples"
	// PurgeJobRows are what jobs were given and left; PurgeJobs are the jobs.
	PurgeJobRows PurgeKind = "job_rows"
	PurgeJobs    PurgeKind = "jobs"
	// PurgeDeliveries are deliveries of webhooks, with their attempts. They go as events do.
	PurgeDeliveries PurgeKind = "webhook_deliveries"
	// PurgeGrants are grants that ended or expired.
	PurgeGrants PurgeKind = "oauth_grants"
	// PurgeOAuthDevices are devices without a browser that nobody waits for any more.
	PurgeOAuthDevices PurgeKind = "oauth_devices"
	// PurgeRuns are runs of flows, likewise.
	PurgeRuns PurgeKind = "flow_runs"
)

// PurgeKinds lists all kinds.
func PurgeKinds() []PurgeKind {
	return []PurgeKind{
		PurgeSessions, PurgeLimits, PurgeAnswers, PurgeLoginFailures,
		PurgeAPIKeys, PurgeKeySecrets, PurgeM2MTokens, PurgeProofs, PurgeBindings,
		PurgeChallenges, PurgeDevices, PurgeMails, PurgeNotifications, PurgeEvents, PurgeQuotaUses, PurgeSlugs, PurgeWorkspaces, PurgeGuesses, PurgeAssessments, PurgeOverrides,
		PurgeRelations,
		PurgeJobRows, PurgeJobs, PurgeInvitations, PurgeProcessorEvents, PurgeSubscriptionUses, PurgeLicenceKeys, PurgeMachines, PurgeLeases, PurgeTransfers, PurgeVacancies, PurgeUsage, PurgeUses, PurgeDeliveries, PurgeRuns, PurgeGrants, PurgeOAuthDevices,
	}
}

// SchemaFragment describes the kind in a JSON Schema.
func (PurgeKind) SchemaFragment() map[string]any {
	kinds := make([]any, 0, len(PurgeKinds()))
	for _, kind := range PurgeKinds() {
		kinds = append(kinds, string(kind))
	}
	return map[string]any{"type": "string", "enum": kinds}
}
