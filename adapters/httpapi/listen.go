package httpapi

import (
	"net/http"
	"time"
)

// NewHTTPServer makes a server with time limits, so that a client which sends or
// reads slowly holds a connection for a minute at most. WriteTimeout is also the
// longest a command may take before its answer is lost.
func NewHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		// OPTIONS * is answered like anything else.
		DisableGeneralOptionsHandler: true,
	}
}
