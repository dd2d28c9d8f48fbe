package harness

import (
	"sync"

	"gatehouse.internal/domain/fault"
)

// Together runs n calls in parallel.
func Together(n int, call func(i int) *Reply) []*Reply {
	var all sync.WaitGroup
	replies := make([]*Reply, n)
	for i := range replies {
		all.Go(func() { replies[i] = call(i) })
	}
	all.Wait()
	return replies
}

// Codes counts answers by their code, "" for success.
func Codes(replies []*Reply) map[fault.Code]int {
	counted := map[fault.Code]int{}
	for _, r := range replies {
		code := fault.Code("")
		if r.Failure != nil {
			code = r.Failure.Code
		}
		counted[code]++
	}
	return counted
}
