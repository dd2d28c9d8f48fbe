// Package apikey is the model of a user's long-lived API key (specification
// section 2.11, contract section 3).
package apikey
