//go:build profile

package main

import (
	"net/http"
	"net/http/pprof"
	"os"
	"time"
)

// init serves net/http/pprof at PROFILE_ADDRESS, such as 127.0.0.1:6060, without
// authentication. The build tag profile is for benchmarks only, see test/bench.
func init() { //nolint:gochecknoinits // no other file is to know of it
	address := os.Getenv("PROFILE_ADDRESS")
	if address == "" {
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: time.Second}
	go func() {
		// It serves as long as the program runs.
		panic(server.ListenAndServe())
	}()
}
