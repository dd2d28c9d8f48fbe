// Package machines stores apps, API keys, DPoP keys, resources (APIs) with their audiences, and M2M tokens.
package machines
