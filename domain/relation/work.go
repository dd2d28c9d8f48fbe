package relation

// What questions that are answered together, and a part of a list, may take in steps: on an
// idle machine half a second, and two. Time itself is no bound, for a busy machine would
// refuse what an idle one answers.
const (
	mostSteps     = 10_000_000
	mostListSteps = 4 * mostSteps
)

// What things take, in evaluations of a node of a graph: a read is a round trip to the store, which
// looks up each key that is asked for.
const (
	tupleSteps     = 10
	conditionSteps = 5000
	readSteps      = 2000
	keySteps       = 150
)

// work counts the steps that are left.
type work struct{ left int }

// take reports whether so many steps were left.
func (w *work) take(steps int) bool {
	w.left -= steps
	return w.left >= 0
}
