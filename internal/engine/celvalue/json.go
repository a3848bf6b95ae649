package celvalue

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// ToJSON converts the result of a CEL expression to the API server's form of JSON,
// with int64 for integers.
func ToJSON(value ref.Val) (any, error) {
	switch v := value.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		return int64(v), nil
	case types.Double:
		return float64(v), nil
	case types.String:
		return string(v), nil
	case types.Timestamp, types.Duration, types.Bytes:
		converted, ok := v.ConvertToType(types.StringType).(types.String)
		if !ok {
			return nil, fmt.Errorf("a value of type %s cannot be written as JSON", v.Type().TypeName())
		}
		return string(converted), nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return ToJSON(v.GetValue())
	case traits.Lister:
		return listFromCEL(v)
	case traits.Mapper:
		return mapFromCEL(v)
	}
	return nil, fmt.Errorf("a value of type %s cannot be written as JSON", value.Type().TypeName())
}

func listFromCEL(list traits.Lister) (any, error) {
	items := []any{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		item, err := ToJSON(it.Next())
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func mapFromCEL(m traits.Mapper) (any, error) {
	object := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if key == nil {
			break // upstream counts keys that the schema lacks, but does not return them
		}
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("a map with keys of type %s cannot be written as JSON", key.Type().TypeName())
		}
		value, err := ToJSON(m.Get(key))
		if err != nil {
			return nil, err
		}
		object[string(name)] = value
	}
	return object, nil
}
