// Package mailing defines the ports for mail: the queue, templates, suppressed
// addresses, and the mail server.
package mailing
