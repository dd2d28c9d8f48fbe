// Package crypt defines the ports for cryptography: signed tokens, public keys and
// proofs of possession, password hashes, and one-time codes.
package crypt
