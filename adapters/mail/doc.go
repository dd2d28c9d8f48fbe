// Package mail hands letters to a mail server by SMTP (RFC 5321), through
// wneessen/go-mail; or, where no server is configured, to the log.
//
// # Decision: a connection for each letter
//
// Context: mail servers end connections that rest, limit letters in one, and answer
// a broken one with errors that look like those of a letter.
//
// Choice: dial, send, quit. What a replica sends at once is bounded by its caller,
// and no answer to a command waits for it.
//
// What would change our mind: instances that send tens of letters a second.
package mail
