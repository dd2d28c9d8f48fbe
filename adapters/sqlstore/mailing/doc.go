// Package mailing stores the queue of mail, the templates that were set, and the suppressed addresses.
package mailing
