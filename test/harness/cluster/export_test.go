package cluster

// Sweep is sweep, for the tests.
func Sweep(tmp string) { sweep(tmp) }

// Dir is the cluster's directory.
func (c *Cluster) Dir() string { return c.dir }

// FindInitdb looks in PATH, then in directories that match a pattern.
func FindInitdb(elsewhere string) (string, error) {
	found, err := findPrograms(elsewhere)
	return found.initdb, err
}
