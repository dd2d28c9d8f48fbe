// Package signin defines the ports for authentication: passwords, passkeys, second
// factors, remembered devices, linked accounts, and challenges.
package signin
