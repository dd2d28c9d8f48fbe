// Package mailing stores the queue of mail, templates, and the addresses that get
// none.
package mailing
