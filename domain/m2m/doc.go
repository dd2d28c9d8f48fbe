// Package m2m is the model of tokens issued to apps (specification sections 2.7
// to 2.9, contract section 3).
package m2m
