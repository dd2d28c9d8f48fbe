// Package batch lets calls that wait at the same time leave together: look-ups
// that many requests make at once become one question to the database.
//
// # Decision
//
// Context: session state, revocation and rate limits are asked by every request,
// and must be as fresh as if each had asked alone.
//
// Choice: no timer and no minimum size. An idle group runs the first question at
// once; what comes while all runs are under way gathers, and leaves when one ends.
// A group that yields lets those go first who can run, and so may be about to ask.
// A question joins only a run that has not begun. Every run has its own goroutine,
// also that of a lone caller: it costs about a microsecond, and the caller can leave
// when its context ends while the run, which may serve others, goes on.
//
// What would change our mind: a database so near that a microsecond counts.
package batch
