// Package people holds the ports about who there is: accounts and how they are
// found, sessions, lockouts, and what people are told about their security.
package people
