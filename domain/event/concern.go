package event

import "reflect"

// Concern is the person and the workspace that an event is filed under.
type Concern struct {
	UserID string
	OrgID  string
	// Failed marks the record of something that was refused, such as a login.
	Failed bool
}

// ConcernOf returns the person and the workspace of an event: the result of the
// content's method Concerns, or else its fields UserID and OrgID.
func ConcernOf(data Data) Concern {
	if filed, ok := data.(interface{ Concerns() Concern }); ok {
		return filed.Concerns()
	}
	content := reflect.ValueOf(data)
	return Concern{UserID: field(content, "UserID"), OrgID: field(content, "OrgID")}
}

// field returns a text in a struct; "" where there is none of the name.
func field(of reflect.Value, name string) string {
	if of.Kind() != reflect.Struct {
		return ""
	}
	if found := of.FieldByName(name); found.Kind() == reflect.String {
		return found.String()
	}
	return ""
}
