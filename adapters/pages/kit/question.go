package kit

// Question is the data of a confirmation page.
type Question struct {
	// Name is the object, and Text describes the consequences.
	Name, Text string
	// Action is the address of the form, which submits Value as Field; Button is its
	// label.
	Action, Field, Value, Button string
	// Back is the address of the link to cancel.
	Back string
	// Org is the workspace to act in, if any.
	Org string
}
