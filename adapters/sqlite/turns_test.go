package sqlite_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/test/harness"
)

// The one connection that writes goes to who waits the longest: package database/sql
// hands it to any of those who wait, so that among many, some request would wait until its time
// is over.
func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	const many = 40
	var mu sync.Mutex
	var order []int
	var ended sync.WaitGroup
	begun, release := make(chan struct{}), make(chan struct{})
	run := func(i int) {
		err := h.Store.Transact(t.Context(), func(*sqlstore.Tx) error {
			if i < 0 {
				close(begun)
				<-release
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	ended.Go(func() { run(-1) })
	<-begun
	for i := range many {
		ended.Go(func() { run(i) })
		time.Sleep(5 * time.Millisecond)
	}
	close(release)
	ended.Wait()
	// Those who begin at almost the same time may overtake one another, on a busy machine.
	overtaken := func(i int) bool { return slices.Index(order, i) > i+many/4 }
	if len(order) != many || slices.ContainsFunc(order, overtaken) {
		t.Errorf("the turns were %v", order)
	}
}
