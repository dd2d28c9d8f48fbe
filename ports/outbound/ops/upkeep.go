package ops

import (
	"context"
	"strings"
	"time"
)

// Upkeep maintains the store, outside any unit of work.
type Upkeep interface {
	// Ping returns nil if the store responds.
	Ping(ctx context.Context) error
	// Migrated returns the version of the schema, and the one that this program needs.
	Migrated(ctx context.Context) (have, want int64, err error)
	// Clocks returns the time of the database's clock and of the newest event; zero for
	// none.
	Clocks(ctx context.Context) (store, newest time.Time, err error)
	// Purge deletes a batch of rows of a kind that expired by a time, and returns their
	// number; 0 means that none are left. Events have no expiry: those older than the
	// time are deleted.
	Purge(ctx context.Context, kind PurgeKind, until time.Time) (int, error)
	// Rows returns the number of rows of each table, which may be the database's
	// estimate.
	Rows(ctx context.Context) (map[string]int64, error)
	// Bytes returns the size of the store, in bytes.
	Bytes(ctx context.Context) (int64, error)
}

// PurgeKind is a kind of rows that expire.
type PurgeKind string

// Kinds of rows that expire.
const (
	PurgeSessions      PurgeKind = "sessions"
	PurgeLimits        PurgeKind = "rate_limits"
	PurgeAnswers       PurgeKind = "idempotency_keys"
	PurgeLoginFailures PurgeKind = "login_failures"
	PurgeAPIKeys       PurgeKind = "api_keys"
	// PurgeKeySecrets are replaced secrets of API keys.
	PurgeKeySecrets PurgeKind = "api_key_secrets"
	PurgeM2MTokens  PurgeKind = "m2m_tokens"
	PurgeProofs     PurgeKind = "dpop_proofs"
	PurgeBindings   PurgeKind = "dpop_bindings"
	// PurgeChallenges are expired links, codes and ceremonies.
	PurgeChallenges    PurgeKind = "challenges"
	PurgeDevices       PurgeKind = "devices"
	PurgeMails         PurgeKind = "mails"
	PurgeNotifications PurgeKind = "notifications"
	PurgeEvents        PurgeKind = "events"
	// PurgeQuotaUses are counters of quotas.
	PurgeQuotaUses PurgeKind = "quota_uses"
	// PurgeSlugs are slugs of workspaces that were reserved for a while.
	PurgeSlugs PurgeKind = "reserved_slugs"
	// PurgeWorkspaces are deleted workspaces that no job has emptied.
	PurgeWorkspaces PurgeKind = "workspaces"
	// PurgeInvitations are invitations that ended long ago.
	PurgeInvitations PurgeKind = "invitations"
	// PurgeProcessorEvents are old events of payment processors.
	PurgeProcessorEvents PurgeKind = "processor_events"
	// PurgeProcessorTurns are turns of replicas that died.
	PurgeProcessorTurns PurgeKind = "processor_turns"
	// PurgeSubscriptionUses are idempotency keys of uses of subscriptions.
	PurgeSubscriptionUses PurgeKind = "subscription_uses"
	// PurgeLicenseKeys are rotated keys of licenses.
	PurgeLicenseKeys PurgeKind = "license_keys"
	// PurgeMachines are machines of licenses that lapsed long ago.
	PurgeMachines PurgeKind = "license_machines"
	// PurgeLeases are leases of floating seats that expired long ago.
	PurgeLeases PurgeKind = "license_leases"
	// PurgeTransfers are transfers of licenses that no longer count, and PurgeVacancies
	// places vacated so long ago that taking one is no transfer.
	PurgeTransfers PurgeKind = "license_transfers"
	PurgeVacancies PurgeKind = "license_vacancies"
	// PurgeUsage is usage of licenses in past periods, and PurgeUses are the
	// idempotency keys of uses.
	PurgeUsage PurgeKind = "license_usage"
	PurgeUses  PurgeKind = "license_uses"
	// PurgeOverrides are expired overrides of features.
	PurgeOverrides PurgeKind = "feature_overrides"
	// PurgeGuesses are wrong codes and passwords that no longer count.
	PurgeGuesses PurgeKind = "guesses"
	// PurgeAssessments are risk assessments.
	PurgeAssessments PurgeKind = "risk_assessments"
	// PurgeRelations are expired relation tuples.
	PurgeRelations PurgeKind = "relation_tuples"
	// PurgeJobRows are inputs and results of jobs, and PurgeJobs the jobs.
	PurgeJobRows PurgeKind = "job_rows"
	PurgeJobs    PurgeKind = "jobs"
	// PurgeDeliveries are deliveries of webhooks with their attempts, purged by age
	// like events.
	PurgeDeliveries PurgeKind = "webhook_deliveries"
	// PurgeGrants are grants that ended or expired.
	PurgeGrants PurgeKind = "oauth_grants"
	// PurgeOAuthDevices are expired device authorizations.
	PurgeOAuthDevices PurgeKind = "oauth_devices"
	// PurgeImpersonations are impersonations that ended long ago.
	PurgeImpersonations PurgeKind = "impersonations"
	// PurgeRuns are runs of flows, purged by age like events.
	PurgeRuns PurgeKind = "flow_runs"
)

// PurgeKinds returns all kinds.
func PurgeKinds() []PurgeKind {
	return []PurgeKind{
		PurgeSessions, PurgeLimits, PurgeAnswers, PurgeLoginFailures,
		PurgeAPIKeys, PurgeKeySecrets, PurgeM2MTokens, PurgeProofs, PurgeBindings,
		PurgeChallenges, PurgeDevices, PurgeMails, PurgeNotifications, PurgeEvents, PurgeQuotaUses, PurgeSlugs, PurgeWorkspaces, PurgeGuesses, PurgeAssessments, PurgeOverrides,
		PurgeRelations,
		PurgeJobRows, PurgeJobs, PurgeInvitations, PurgeProcessorEvents, PurgeProcessorTurns, PurgeSubscriptionUses, PurgeLicenseKeys, PurgeMachines, PurgeLeases, PurgeTransfers, PurgeVacancies, PurgeUsage, PurgeUses, PurgeDeliveries, PurgeRuns, PurgeGrants, PurgeOAuthDevices, PurgeImpersonations,
	}
}

// formerly precedes the British names of the kinds of licenses, which the previous release had. They
// are accepted for one release.
const formerly = "licence_"

// Current returns the present name of a kind.
func (k PurgeKind) Current() PurgeKind {
	if rest, former := strings.CutPrefix(string(k), formerly); former {
		return PurgeKind("license_" + rest)
	}
	return k
}

// SchemaFragment describes the kind in a JSON Schema.
func (PurgeKind) SchemaFragment() map[string]any {
	kinds := make([]any, 0, len(PurgeKinds()))
	for _, kind := range PurgeKinds() {
		kinds = append(kinds, string(kind))
	}
	for _, kind := range PurgeKinds() {
		if rest, ok := strings.CutPrefix(string(kind), "license_"); ok {
			kinds = append(kinds, formerly+rest)
		}
	}
	return map[string]any{"type": "string", "enum": kinds}
}
