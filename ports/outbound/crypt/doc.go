// Package crypt holds the ports about cryptography: signed tokens, public keys and
// proofs under them, password hashes, and one-time codes.
package crypt
