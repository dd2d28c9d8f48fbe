// Package resource is the model of audiences of tokens: their owners, and the APIs
// registered with them (contract section 3, RFC 8707).
package resource
