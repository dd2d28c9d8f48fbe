package people_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// ring is a model of a type with so many relations, each of which leads to the next one of a
// parent.
func ring(count int) string {
	text := "model\n  schema 1.1\ntype user\ntype t\n  relations\n    define p: [t]\n"
	for i := range count {
		text += fmt.Sprintf("    define r%d: [user] or r%d from p\n", i, (i+1)%count)
	}
	return text
}

func TestModelsAreBounded(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		refused := publish(ada, ring(1089)).Fails(fault.Validation)
		if want := "has too many relations (1,090; at most 1,000)"; !strings.Contains(refused.Failure.Message, want) {
			t.Errorf("a model too many: %s", refused.Failure.Message)
		}
		publish(ada, ring(999)).OK()
		write(ada, "t:1#p@t:2", "t:2#p@t:1", "t:1#r2@user:bob").OK()
		for _, text := range []string{"t:1#r2@user:bob", "t:2#r1@user:bob", "t:1#r0@user:bob"} {
			if !allowed(ada, text) {
				t.Errorf("%s is denied", text)
			}
		}
		// Around the whole ring it is too far, which is no denial.
		ada.Do("RELATION.CHECK", tuple("t:1#r3@user:bob")).Fails(fault.Validation)
	})
}
