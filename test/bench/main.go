// Command bench measures the built program from outside: `make bench` drives
// `gatehouse serve` over HTTP from this process, on a throw-away PostgreSQL that
// waits for the disk and on SQLite, and prints beside it what a bare net/http
// server reaches that does the one indispensable thing against the same database.
//
// Both are driven by the same client, take turns within one run, and are told
// apart by medians. With -growth it compares a small store with a large one
// instead. A missed target is printed; with -check it is also the exit code.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// errMissed says that with -check a target was missed.
var errMissed = errors.New("a target was missed")

// options are what the command line chooses.
type options struct {
	stores      []string
	window      time.Duration
	connections []int
	sessions    int
	runs        int
	only        []string
	check       bool
	growth      bool
	// users and storedSessions are the size of the large store of -growth.
	users, storedSessions, storedTokens int
	growthConnections                   int
	// licenses is how many a vendor has; 0: as many as is usual.
	licenses int
	// grants is how many applications have of people; 0: as many as is usual.
	grants int
	// deliveries is how many drain beside a load, storedEvents and storedDeliveries the history
	// that webhooks are measured with.
	deliveries, storedEvents, storedDeliveries int
	// invoices is how many there are in the end.
	invoices int
	// binary is the program to measure; empty: it is built.
	binary string
	// profiles is where CPU profiles of the service go; empty: none are taken.
	profiles string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if len(os.Args) > 1 && os.Args[1] == bareCommand {
		err = runBare(ctx, os.Args[2:])
	} else {
		err = run(ctx, os.Args[1:], os.Stdout)
	}
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case interrupted:
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	store := flags.String("store", "both", "postgres, sqlite or both")
	seconds := flags.Float64("seconds", 0.25, "length of one measurement; commands that hash take longer")
	connections := flags.String("connections", "1,8,32,64", "how many connections send at once, one measurement each")
	only := flags.String("only", "", "names to measure, such as USER.ME,oauth,health,pages,raw,start,refusals,webhooks,billing; empty: all")
	flags.IntVar(&o.sessions, "sessions", 1000, "how many sessions the load is spread over")
	flags.IntVar(&o.runs, "runs", 5, "measurements of each kind, of which the median counts")
	flags.BoolVar(&o.check, "check", false, "exit with 1 when a target is missed")
	flags.BoolVar(&o.growth, "growth", false, "compare a store of 1,000 users with a large one")
	flags.IntVar(&o.users, "users", 1_000_000, "users in the large store of -growth")
	flags.IntVar(&o.storedSessions, "stored-sessions", 5_000_000, "sessions in the large store of -growth")
	flags.IntVar(&o.storedTokens, "stored-tokens", 10_000_000, "M2M tokens in the large store of -growth, a tenth of them revoked")
	flags.StringVar(&o.profiles, "profile", "", "build the program for it, and store a CPU profile of each scenario in this directory")
	flags.StringVar(&o.binary, "binary", "", "measure this program instead of building one")
	flags.IntVar(&o.licenses, "licenses", 0, "licenses of one vendor, each with 4 machines; 0: 10,000, and 5,000,000 with -growth")
	flags.IntVar(&o.grants, "grants", 0, "grants of people to applications; 0: 10,000, and 10,000,000 with -growth")
	flags.IntVar(&o.growthConnections, "growth-connections", 8, "connections that send at once with -growth")
	flags.IntVar(&o.deliveries, "deliveries", 100_000, "deliveries of webhooks that drain while USER.ME is measured")
	flags.IntVar(&o.storedEvents, "stored-events", 200_000, "old events that webhooks are measured with; 10,000,000 is what they are to stand")
	flags.IntVar(&o.storedDeliveries, "stored-deliveries", 20_000, "old deliveries that webhooks are measured with; 1,000,000 is what they are to stand")
	flags.IntVar(&o.invoices, "invoices", 1_000_000, "invoices of one seller, of which a page is held against one of 1,000")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	o.window = time.Duration(*seconds * float64(time.Second))
	for text := range strings.SplitSeq(*connections, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-connections holds %q, want numbers such as 1,8,32,64", text)
		}
		o.connections = append(o.connections, n)
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	switch *store {
	case "both":
		o.stores = []string{postgresStore, sqliteStore}
	case postgresStore, sqliteStore:
		o.stores = []string{*store}
	default:
		return o, fmt.Errorf("-store is %q, want postgres, sqlite or both", *store)
	}
	if o.growth {
		o.licenses, o.grants = cmp.Or(o.licenses, largeLicenses), cmp.Or(o.grants, largeGrants)
	} else {
		o.licenses, o.grants = cmp.Or(o.licenses, usualLicenses), cmp.Or(o.grants, usualGrants)
	}
	busiest := max(o.growthConnections, slices.Max(o.connections))
	if o.runs < 1 || o.window <= 0 || o.sessions < busiest || o.users < 1 || o.storedTokens < 1 || o.storedSessions < o.sessions {
		return o, errors.New("-runs, -seconds, -users and -stored-tokens must be positive, -sessions at least as many as connections, -stored-sessions at least as many as -sessions")
	}
	if o.invoices < fewInvoices {
		return o, errors.New("-invoices must be at least 1000")
	}
	if o.deliveries < receivers || o.storedDeliveries < 1 || o.storedEvents < o.storedDeliveries {
		return o, errors.New("-deliveries must be at least 10, -stored-deliveries positive, -stored-events at least as many")
	}
	return o, nil
}

// wants reports whether something is to be measured: by its name, or by the first word of that.
func (o *options) wants(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return len(o.only) == 0 || slices.Contains(o.only, name) || slices.Contains(o.only, first)
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	o, err := parse(arguments)
	if err != nil {
		return err
	}
	w, err := newWorkshop(ctx, o)
	if err != nil {
		return err
	}
	defer w.close()
	r := &report{out: out}
	r.machine(w)
	for _, store := range o.stores {
		if o.growth {
			err = compareSizes(ctx, w, o, store, r)
		} else {
			err = benchStore(ctx, w, o, store, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", store, err)
		}
	}
	r.summary()
	if o.check && r.missed > 0 {
		return errMissed
	}
	return nil
}

// benchStore is the plain run on one store.
func benchStore(ctx context.Context, w *workshop, o options, store string, r *report) error {
	db, err := w.database(ctx, store, "bench")
	if err != nil {
		return err
	}
	i, err := w.prepare(ctx, db, population{users: o.sessions, sessions: o.sessions, tokens: o.sessions, crowd: usualCrowd, licenses: o.licenses, grants: o.grants}, o.sessions)
	if err != nil {
		return err
	}
	defer i.close()
	if err := benchCommands(ctx, i, o, r); err != nil {
		return err
	}
	if o.wants("refusals") {
		if err := benchRefusals(ctx, i, o, r); err != nil {
			return fmt.Errorf("refusals: %w", err)
		}
	}
	if slices.Contains(o.only, "policy") {
		if err := benchPolicy(ctx, i, o, r); err != nil {
			return fmt.Errorf("policy: %w", err)
		}
	}
	if o.wants("pages") {
		if err := benchPages(ctx, i, o, r); err != nil {
			return fmt.Errorf("pages: %w", err)
		}
	}
	if o.wants("raw") {
		if err := benchRaw(ctx, db, o, r); err != nil {
			return fmt.Errorf("raw limits: %w", err)
		}
	}
	if o.wants("webhooks") {
		if err := benchWebhooks(ctx, i, o, r); err != nil {
			return fmt.Errorf("webhooks: %w", err)
		}
	}
	if o.wants("billing") {
		if err := benchBilling(ctx, i, o, r); err != nil {
			return fmt.Errorf("billing: %w", err)
		}
	}
	if o.wants("start") {
		return benchStart(ctx, i, o, r)
	}
	return nil
}
