package httpapi

import (
	"net/http"
	"time"
)

// NewHTTPServer returns a server with time limits, so that a slow client holds a
// connection for a minute at most. WriteTimeout is also the maximum duration of a
// command.
func NewHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		// OPTIONS * is passed to the handler.
		DisableGeneralOptionsHandler: true,
	}
}
