// Package batch groups concurrent calls into batches: look-ups that many requests make at
// once become one query of the database.
//
// # Decision
//
// Context: every request looks up session state, revocation and rate limits, and the
// answers must be as fresh as if it had looked them up alone.
//
// Choice: no timer and no minimum size. An idle group runs the first question at
// once; questions that arrive while all runs are under way wait, and form the next run.
// A question only joins a run that has not begun. Every run has its own goroutine, even
// for a single caller: it costs about a microsecond, and a caller can return when its
// context ends while the run, which may serve others, continues.
//
// What would change our mind: a database so near that a microsecond counts.
package batch
