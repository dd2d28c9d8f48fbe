// Package machines stores apps, API keys, the keys that callers registered, and what
// is asked about M2M tokens.
package machines
