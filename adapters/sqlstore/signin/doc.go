// Package signin stores the credentials by which people sign in, and the challenges of logins.
package signin
