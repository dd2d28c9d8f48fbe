package instance

// Series is how often a test that watches a race gets another try: on a busy machine
// one try may miss what the test looks for.
const Series = 20

// Wide lifts the limits that a test which calls much would meet.
func (r *Replica) Wide(admin Person) {
	r.T.Helper()
	for _, command := range []string{"*", "M2M.TOKEN"} {
		r.As(admin, "RATE_LIMIT.SET", P{"command": command, "limit": 100_000, "window_seconds": 60, "key": "token"}).OK()
	}
}
