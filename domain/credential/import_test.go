package credential_test

import "testing"

func TestImportLeavesTheCounterAndTheLock(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 2, now())
	c.Import("upstream", now())
	if c.Hash() != "upstream" || !c.Failing() || !c.Changed() {
		t.Errorf("Import() left hash %q, failing %v, changed %v", c.Hash(), c.Failing(), c.Changed())
	}
	fail(c, 1, now())
	c.Import("another", now())
	if !c.Locked(now()) {
		t.Error("Import() lifted a lock")
	}
}
