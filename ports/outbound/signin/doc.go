// Package signin holds the ports about how people prove who they are: passwords,
// passkeys, second factors, remembered devices, linked accounts, and the challenges
// in between.
package signin
