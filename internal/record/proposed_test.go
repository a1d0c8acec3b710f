package record

import (
	"reflect"
	"testing"

	"github.com/kith-crm/kith/internal/store"
)

// What says what is wrong with a record cannot change it: there is no way from it to the record, the transaction or the write.
func TestWhatValidatesOnlyReads(t *testing.T) {
	proposed := reflect.TypeFor[Proposed]()
	for field := range proposed.Fields() {
		if field.IsExported() && field.Type != reflect.TypeFor[Values]() {
			t.Errorf("the field %s of a proposed record can be written", field.Name)
		}
	}
	for field := range reflect.TypeFor[Values]().Fields() {
		if field.IsExported() {
			t.Errorf("the field %s of values can be written", field.Name)
		}
	}
	for method := range proposed.Methods() {
		for i := range method.Type.NumOut() {
			switch method.Type.Out(i) {
			case reflect.TypeFor[*store.Tx](), reflect.TypeFor[*Mutation](), reflect.TypeFor[*Engine]():
				t.Errorf("%s leads to what writes", method.Name)
			}
		}
	}
	if proposed.NumMethod() < 10 {
		t.Errorf("a proposed record has only %d methods", proposed.NumMethod())
	}
}
