// Package machines holds the ports about callers that are programs: apps, API keys,
// M2M tokens, and the keys and proofs that bind tokens to their holder.
package machines
