// Package delegation defines the ports for the delegation of access to clients by
// people (spec/oauth.md).
package delegation
