// Package machines defines the ports for programs as callers: apps, API keys, M2M
// tokens, and the keys and proofs that bind tokens to their holder.
package machines
