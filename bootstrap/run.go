package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/adapters/telemetry"
	"gatehouse.internal/bootstrap/config"
)

// Phases of a shutdown: first not ready but still serving, so that load balancers
// notice; then completing pending requests; finally exporting their traces.
const (
	drainNotice   = 500 * time.Millisecond
	finishTimeout = 20 * time.Second
	flushTimeout  = 5 * time.Second
)

func options(c *config.Config) Options {
	clock := system.Clock{Offset: c.ClockOffset}
	return Options{Clock: clock, IDs: system.NewIDs(clock), Random: system.Random{}, Logger: newLogger(c)}
}

func newLogger(c *config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}

// Run serves until the context ends, then drains. It calls listening once requests are
// served.
func Run(ctx context.Context, c config.Config, listening func(*Service)) error {
	calmCollector()
	s, err := Build(ctx, c, options(&c))
	if err != nil {
		return err
	}
	if err := s.parts.limits.ping(ctx); err != nil {
		return errors.Join(fmt.Errorf("failed to connect to Redis at REDIS_URL: %w", err), s.Close())
	}
	shutdownTracing, traced, err := telemetry.Tracing(ctx, c.Collector(), s.parts.logger, "gatehouse", Version)
	if err != nil {
		return errors.Join(fmt.Errorf("prepare tracing: %w", err), s.Close())
	}
	for _, finding := range c.Findings() {
		s.parts.logger.WarnContext(ctx, "weak configuration", "variable", finding.Variable, "finding", finding.Message, "mend", finding.Mend)
	}
	err = s.serve(ctx, traced(s.Handler, httpapi.Clients(c.Proxies)), listening)
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if lost := shutdownTracing(flush); lost != nil {
		// An unreachable collector is not an error of the service.
		s.parts.logger.WarnContext(ctx, "failed to send the last traces", "cause", lost)
	}
	return errors.Join(err, s.Close())
}

// address returns the listen address: all interfaces, but loopback only in development,
// where secrets are printed and shortcuts exist.
func address(c *config.Config) string {
	host := ""
	if c.Development {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(c.Port))
}

// collectEvery is the GOGC percentage. The live heap is small and most allocations are
// short-lived, so that collecting less often saves a tenth of the processor time for
// some tens of megabytes.
const collectEvery = 300

// firstPasses is the expected duration of the first background runs.
const firstPasses = time.Second / 2

// releaseMemory returns the memory used by the start and the first background runs to
// the operating system; it is several times what the service needs afterwards.
func releaseMemory(ctx context.Context, logger *slog.Logger) {
	select {
	case <-ctx.Done():
	case <-time.After(firstPasses):
		if err := system.ReleaseMemory(); err != nil {
			logger.WarnContext(ctx, "failed to release memory after the start", "cause", err)
		}
	}
}

// calmCollector sets collectEvery, unless the operator set GOGC.
func calmCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectEvery)
	}
}

func (s *Service) serve(ctx context.Context, handler http.Handler, listening func(*Service)) error {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", address(&s.Config))
	if err != nil {
		return fmt.Errorf("listen on PORT %d: %w", s.Config.Port, err)
	}
	server := httpapi.NewHTTPServer(listener.Addr().String(), handler)
	server.ErrorLog = slog.NewLogLogger(s.parts.logger.Handler(), slog.LevelWarn)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var working sync.WaitGroup
	working.Go(func() { s.Keeper.Run(background) })
	working.Go(func() { s.Delivery.Run(background) })
	working.Go(func() { s.Jobs.Run(background) })
	working.Go(func() { s.Relay.Run(background) })
	working.Go(func() { s.Logouts.Run(background) })
	working.Go(func() { s.Payments.Run(background) })
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(httpapi.Strict(listener)) }()
	listening(s)
	working.Go(func() { releaseMemory(background, s.parts.logger) })
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.finish(context.WithoutCancel(ctx), server)
	}
	stop()
	working.Wait()
	return err
}

// finish drains: it reports not ready to load balancers, then waits for pending
// requests.
func (s *Service) finish(ctx context.Context, server *http.Server) {
	s.Drain()
	s.parts.logger.InfoContext(ctx, "draining")
	notice := time.NewTimer(drainNotice)
	defer notice.Stop()
	<-notice.C
	ctx, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		// Clients that neither finish their request nor read the response are not
		// waited for.
		s.parts.logger.WarnContext(ctx, "closing connections of requests that exceeded the shutdown time", "error", err)
		_ = server.Close()
	}
	s.parts.logger.InfoContext(ctx, "stopped")
}
