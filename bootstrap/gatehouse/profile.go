//go:build profile

package main

import (
	"net/http"
	"net/http/pprof"
	"os"
	"time"
)

// init serves profiles of net/http/pprof at PROFILE_ADDRESS, such as
// 127.0.0.1:6060, without any authentication: a program that is built with the tag
// profile is for measuring alone, see test/bench.
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
		// It listens as long as the program runs.
		panic(server.ListenAndServe())
	}()
}
