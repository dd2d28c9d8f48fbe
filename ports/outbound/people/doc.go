// Package people defines the ports for people: accounts, sessions, lockouts, and
// security notices.
package people
