// Package delegation stores what people let clients do for them.
package delegation
