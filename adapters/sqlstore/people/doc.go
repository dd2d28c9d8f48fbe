// Package people stores accounts, sessions and notices.
package people
