// Package resource is the model of audiences: whom tokens are for, which workspace an
// audience belongs to, and the APIs that are registered under them (contract section 3,
// RFC 8707).
package resource
