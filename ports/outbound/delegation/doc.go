// Package delegation holds the ports about what people let clients do for them
// (spec/oauth.md).
package delegation
