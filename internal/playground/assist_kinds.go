package playground

import (
	"reflect"
	"strings"
)

// AssistKind is a kind of assist request. The table of kinds is [AssistRequest]: each field is
// a kind, and [AssistResponse] has a field of the same name with the response.
type AssistKind struct {
	// Name is the name in JSON, which is also the last part of the path of the HTTP route.
	Name  string
	field string
}

// AssistKinds lists all kinds.
var AssistKinds = func() (kinds []AssistKind) {
	for field := range reflect.TypeFor[AssistRequest]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kinds = append(kinds, AssistKind{name, field.Name})
	}
	return kinds
}()

// NewRequest returns an empty request of this kind, and a pointer to its only field.
func (k AssistKind) NewRequest() (request AssistRequest, part any) {
	field := reflect.ValueOf(&request).Elem().FieldByName(k.field)
	field.Set(reflect.New(field.Type().Elem()))
	return request, field.Interface()
}

// Part returns the only field of a response to a request of this kind.
func (k AssistKind) Part(r AssistResponse) any {
	return reflect.ValueOf(r).FieldByName(k.field).Interface()
}

// Kind returns the kind of a request, and false if none of its fields is set.
func (request AssistRequest) Kind() (AssistKind, bool) {
	for _, kind := range AssistKinds {
		if !reflect.ValueOf(request).FieldByName(kind.field).IsNil() {
			return kind, true
		}
	}
	return AssistKind{}, false
}

// Scenario returns the scenario of a request, which the caller may change, or nil if the request
// has none.
func (request AssistRequest) Scenario() *Scenario {
	kind, ok := request.Kind()
	if !ok {
		return nil
	}
	scenario := reflect.ValueOf(request).FieldByName(kind.field).Elem().FieldByName("Scenario")
	if !scenario.IsValid() {
		return nil
	}
	return scenario.Addr().Interface().(*Scenario)
}
