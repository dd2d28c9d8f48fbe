// Package sqlstore is the store in a SQL database: every statement of the
// service, once, for PostgreSQL and SQLite. Packages postgres and sqlite open the
// databases and say in what they differ.
//
// This package is the core: statements and transactions, aggregates with their
// versions and events, sealing and blind indexes, and what requests share a commit or a
// round trip for. The repositories are in one package for each area of ports/outbound, such as
// people: people.Users(tx) writes in a transaction, people.UserDirectory(store) reads.
//
// # Decision: portable SQL with a few marked words
//
// Context: two databases must behave alike, and every statement twice would drift.
//
// Choice: statements are plain SQL with ? for parameters, in the vocabulary that
// both share. Where they differ, a marker in braces stands for a word of the
// dialect ({for update}, {second}), and {rows id text, at time} for a table that
// comes as one parameter: arrays and unnest on PostgreSQL, JSON and json_each on
// SQLite. So one prepared statement reads, inserts or updates any number of rows.
// Each text is translated and prepared once per pool. A transaction that meets a
// text for the first time prepares it for itself and lets the pool learn it when it
// has ended, because preparing on the pool takes a connection, and transactions
// that each hold one and wait for another would stop the service.
//
// What would change our mind: a third database with another idea of SQL.
//
// # Decision: times are TIMESTAMPTZ here and microseconds there
//
// Context: SQLite has no time type; its driver writes text of varying length, with
// which SQL can compare but not calculate below the millisecond.
//
// Choice: on SQLite a time is the INTEGER of its microseconds since the Unix epoch.
// Both compare and add alike: last_used_at + idle_seconds * {second} > ?.
//
// What would change our mind: people who read the SQLite file by hand more often
// than programs do (they write datetime(at / 1000000, 'unixepoch')).
//
// # Decision: transactions are READ COMMITTED, with versions
//
// Context: SERIALIZABLE on PostgreSQL fails under load for reasons a caller cannot
// see, and SQLite has one writer anyway.
//
// Choice: an aggregate is read with its version and saved under the condition that
// it still has it; what spans aggregates takes a row lock first. A unit of work
// that lost a race runs again. Inserts never fail on a value that is taken: they
// insert nothing, so that the transaction stays usable.
//
// What would change our mind: a rule over many rows that no single row stands for.
//
// # Decision: a transaction begins with the credential that it acts by
//
// Context: a call that was admitted just before its session, key or app ended must store nothing
// after that (outbound.ActingCredential), or an account that was recovered would contain what an attacker
// still stored. The handlers should not have to ensure it.
//
// Choice: a transaction of a unit of work first reads the row of the credential, and on
// PostgreSQL locks it {for key share}. What ends a credential locks the row {for update}
// first, so it waits for running transactions, and later ones wait for it and are refused. A
// refresh changes the row without either lock, and does not wait. All transactions lock the
// credential first, so that they do not deadlock: a transaction that ends the credentials of an
// account calls people.Sessions.HoldOff before it reads or locks anything else. The statement costs 0.06 ms on PostgreSQL, 0.1 ms for an app of a personal
// workspace, and 0.01 ms on SQLite. To look at the end instead, with the events, would save
// a round trip, but the locks would then be taken in the other order.
//
// What would change our mind: commands whose transactions take so long that ending a session is
// noticeably slow.
//
// # Decision: counters are compared and swapped, then held
//
// Context: a limit must be exact over all replicas, and almost every request counts
// at one or two of them.
//
// Choice: a batch of requests reads its counters, counts in Go, and writes them on
// the condition that their versions are unchanged, in a transaction where a request
// counts at several. A request that lost the race to another replica is judged again with
// its counters locked, so that the second try succeeds. Expiries are whole windows:
// PostgreSQL touches no index while they stay. Locking the rows within the write
// itself was tried: the statement took 0.32 ms for 32 counters instead of 0.09.
//
// What would change our mind: replicas that contend for the same few counters most of
// the time; then locking at once is cheaper than trying first.
package sqlstore
