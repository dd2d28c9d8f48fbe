// Package mailing holds the ports about mail: the queue, the templates, the addresses
// that get none, and the server that takes letters.
package mailing
