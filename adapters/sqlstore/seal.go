package sqlstore

import "gatehouse.internal/ports/outbound"

// opener opens the sealed columns of one row and keeps the first error.
type opener struct {
	sealer    outbound.Sealer
	table, id string
	err       error
}

// value opens one column; it is empty once there was an error.
func (o *opener) value(column, sealed string) string {
	if o.err != nil {
		return ""
	}
	var plain string
	plain, o.err = o.sealer.Open(sealed, place(o.table, column, o.id))
	return plain
}
