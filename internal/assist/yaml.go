package assist

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// yamlString writes a string as a scalar that Kubernetes also decodes as a string. Its YAML
// version decodes words such as y and on as Booleans.
func yamlString(value string) string {
	switch strings.ToLower(value) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~":
		return jsonString(value)
	}
	encoded, err := yaml.Marshal(value)
	if err != nil || strings.Contains(strings.TrimSpace(string(encoded)), "\n") {
		return jsonString(value)
	}
	return strings.TrimSpace(string(encoded))
}

func yamlValue(value any) string {
	if s, isString := value.(string); isString {
		return yamlString(s)
	}
	return jsonvalue.String(value)
}

func jsonString(value string) string { return jsonvalue.String(value) }
