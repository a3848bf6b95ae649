package playground

import (
	"reflect"
	"strings"
)

// AssistKind is a kind of assist request. The table of kinds is [AssistRequest]: each field is
// a kind, with its name in JSON and the field of [AssistResponse] that has the response.
type AssistKind struct {
	// Name is the name in JSON, which is also the last part of the path of the HTTP route.
	Name              string
	request, response int
}

// AssistKinds lists all kinds.
var AssistKinds = func() (kinds []AssistKind) {
	requests, responses := reflect.TypeFor[AssistRequest](), reflect.TypeFor[AssistResponse]()
	for i := range requests.NumField() {
		field := requests.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		response, ok := responses.FieldByName(field.Tag.Get("response"))
		if !ok {
			panic("AssistResponse has no field for the request " + field.Name)
		}
		kinds = append(kinds, AssistKind{name, i, response.Index[0]})
	}
	return kinds
}()

// NewRequest returns an empty request of this kind, and a pointer to its only field.
func (k AssistKind) NewRequest() (q AssistRequest, part any) {
	field := reflect.ValueOf(&q).Elem().Field(k.request)
	field.Set(reflect.New(field.Type().Elem()))
	return q, field.Interface()
}

// Part returns the only field of a response to a request of this kind.
func (k AssistKind) Part(r AssistResponse) any {
	return reflect.ValueOf(r).Field(k.response).Interface()
}

// Kind returns the kind of a request, and false if none of its fields is set.
func (q AssistRequest) Kind() (AssistKind, bool) {
	for _, kind := range AssistKinds {
		if !reflect.ValueOf(q).Field(kind.request).IsNil() {
			return kind, true
		}
	}
	return AssistKind{}, false
}

// Scenario returns the scenario of a request, which the caller may change, or nil if the request
// has none.
func (q AssistRequest) Scenario() *Scenario {
	kind, ok := q.Kind()
	if !ok {
		return nil
	}
	scenario := reflect.ValueOf(q).Field(kind.request).Elem().FieldByName("Scenario")
	if !scenario.IsValid() {
		return nil
	}
	return scenario.Addr().Interface().(*Scenario)
}
