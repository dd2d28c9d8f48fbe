package sqlstore

import "gatehouse.internal/ports/outbound"

// Opener opens the sealed columns of one row and keeps the first error.
type Opener struct {
	Sealer    outbound.Sealer
	Table, ID string
	Err       error
}

// RowOpener opens the columns of one row that hold personal data.
func (s *Store) RowOpener(table, id string) *Opener {
	return &Opener{Sealer: s.personal, Table: table, ID: id}
}

// RowSealer returns what seals the columns of one row that hold personal data.
func (s *Store) RowSealer(table, id string) func(column, plain string) string {
	return func(column, plain string) string { return s.personal.Seal(plain, Place(table, column, id)) }
}

// Value opens one column; it is empty once there was an error.
func (o *Opener) Value(column, sealed string) string {
	if o.Err != nil {
		return ""
	}
	var plain string
	plain, o.Err = o.Sealer.Open(sealed, Place(o.Table, column, o.ID))
	return plain
}
