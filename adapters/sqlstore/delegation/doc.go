// Package delegation stores consents, grants and device authorizations of OAuth clients, and the queue of
// back-channel logouts.
package delegation
