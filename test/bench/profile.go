package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// profiled is how long a CPU profile of the service is taken, in whole seconds.
const profiled = 2 * time.Second

// profile puts the load on the service once more and takes its CPU profile
// meanwhile: what was measured before is not distorted.
func (c *contest) profile(ctx context.Context) error {
	loaded := *c
	loaded.options.window = profiled
	name := fmt.Sprintf("%s-%s-%d.pprof", c.i.db.store, c.scenario.name, c.connections)
	taken, l := make(chan error, 1), loaded.served()
	l.started = func() {
		go func() { taken <- c.i.takeProfile(ctx, filepath.Join(c.options.profiles, name)) }()
	}
	if _, err := l.measure(ctx); err != nil {
		return err
	}
	return <-taken
}

// profiles takes a profile of what happens meanwhile, where that is wanted, and tells on the
// channel what came of it.
func (i *instance) profiles(ctx context.Context, o options, of string) <-chan error {
	taken := make(chan error, 1)
	if o.profiles == "" {
		taken <- nil
		return taken
	}
	go func() { taken <- i.takeProfile(ctx, filepath.Join(o.profiles, i.db.store+"-"+of+".pprof")) }()
	return taken
}

// takeProfile stores what net/http/pprof of the service answers.
func (i *instance) takeProfile(ctx context.Context, file string) error {
	address := "http://" + i.profiler() + "/debug/pprof/profile?seconds=" + strconv.Itoa(int(profiled/time.Second))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: patience}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("take a profile, was the program built with -tags profile? %w", err)
	}
	defer answer.Body.Close()
	profile, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("take a profile: %w", err)
	}
	if err := expect(http.StatusOK, answer.StatusCode, profile); err != nil {
		return fmt.Errorf("take a profile: %w", err)
	}
	return os.WriteFile(file, profile, 0o600)
}
