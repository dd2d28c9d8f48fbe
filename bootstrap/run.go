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

// How long an instance that was asked to stop goes on: first not ready but still
// answering, so that a load balancer sees it; then finishing what is under way; last
// handing over the traces of that.
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

// Run serves until the context ends, then drains and finishes. Listening is told
// once requests are answered.
func Run(ctx context.Context, c config.Config, listening func(*Service)) error {
	calmCollector()
	s, err := Build(ctx, c, options(&c))
	if err != nil {
		return err
	}
	if err := s.parts.limits.ping(ctx); err != nil {
		return errors.Join(fmt.Errorf("REDIS_URL names no Redis that can be used: %w", err), s.Close())
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
		// That the collector does not answer is no failure of the service.
		s.parts.logger.WarnContext(ctx, "the last traces were lost", "cause", lost)
	}
	return errors.Join(err, s.Close())
}

// address is where to listen: everywhere, but on this machine alone in
// development, where secrets are printed and shortcuts exist.
func address(c *config.Config) string {
	host := ""
	if c.Development {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(c.Port))
}

// collectEvery is how much the heap may grow over what is live, in percent, before
// it is collected. Little is live and much is short-lived here, so that collecting
// later buys a tenth of the processor for some tens of megabytes.
const collectEvery = 300

// firstPasses is how long the first passes of what runs in the background take.
const firstPasses = time.Second / 2

// releaseMemory frees what the start and those passes left behind: that is several
// times what the service then lives on.
func releaseMemory(ctx context.Context, logger *slog.Logger) {
	select {
	case <-ctx.Done():
	case <-time.After(firstPasses):
		if err := system.ReleaseMemory(); err != nil {
			logger.WarnContext(ctx, "memory of the start was not released", "cause", err)
		}
	}
}

// calmCollector sets that, unless the operator set GOGC.
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

// finish informs load balancers, then waits for the requests under way.
func (s *Service) finish(ctx context.Context, server *http.Server) {
	s.Drain()
	s.parts.logger.InfoContext(ctx, "draining")
	notice := time.NewTimer(drainNotice)
	defer notice.Stop()
	<-notice.C
	ctx, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		// A client that sends no end of its request, or reads none of its answer, is not
		// waited for.
		s.parts.logger.WarnContext(ctx, "closing connections whose requests did not end in time", "error", err)
		_ = server.Close()
	}
	s.parts.logger.InfoContext(ctx, "stopped")
}
