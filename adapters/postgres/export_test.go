package postgres

// ByIndex are the parameters of connections whose statements find every row by an index.
func ByIndex() map[string]string { return byIndex() }
