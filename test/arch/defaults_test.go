package arch_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/setting"
)

// TestDefaultsAreDocumented compares the defaults in the descriptions of settings and policies
// with the values in force on a fresh instance.
func TestDefaultsAreDocumented(t *testing.T) {
	t.Parallel()
	set := policy.Defaults()
	for _, values := range []any{setting.Defaults(), set.Password, set.Session, set.Lockout, set.MFA, set.Risk} {
		of := reflect.ValueOf(values)
		for i := range of.NumField() {
			field, value := of.Type().Field(i), of.Field(i)
			if value.Kind() == reflect.Slice {
				continue
			}
			said := "Defaults to " + written(value)
			if doc := field.Tag.Get("doc"); !strings.HasSuffix(doc, said+".") && !strings.Contains(doc, said+" (") {
				t.Errorf("%s.%s is described by %q, which lacks %q", of.Type(), field.Name, doc, said)
			}
		}
	}
}

// written returns a value as descriptions show it: thousands with a comma.
func written(value reflect.Value) string {
	const thousand = 1000
	if value.Kind() == reflect.Int && value.Int() >= thousand {
		return fmt.Sprintf("%d,%03d", value.Int()/thousand, value.Int()%thousand)
	}
	return fmt.Sprint(value.Interface())
}
