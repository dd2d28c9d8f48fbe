// Package app is the model of an application: a service account or OAuth client
// of a workspace, with its secrets, keys, scopes and claims (specification
// section 2.6, contract section 3).
package app
