// Package outbound holds what the application needs from the world, one small
// file per need. Adapters implement it; the application never sees them.
package outbound
