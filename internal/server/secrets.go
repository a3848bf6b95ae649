package server

import (
	"fmt"
	"os"
	"strings"
)

// fileSuffix is the suffix of the variables that name the file of a secret.
const fileSuffix = "_FILE"

// secretVariables lists the environment variables whose values may be in files instead.
// Orchestrators mount secrets as files, which other processes cannot read as easily as
// an environment.
var secretVariables = []string{operatorTokenVariable, storeVariable}

// withSecretFiles returns an environment in which the variables of secrets have the
// contents of their files, without the white space at the end.
func withSecretFiles(env func(string) string) (func(string) string, error) {
	contents := map[string]string{}
	for _, variable := range secretVariables {
		name := env(variable + fileSuffix)
		if name == "" {
			continue
		}
		if env(variable) != "" {
			return nil, fmt.Errorf("set either %s or %s", variable, variable+fileSuffix)
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", variable+fileSuffix, err)
		}
		contents[variable] = strings.TrimRight(string(content), " \t\r\n")
	}
	return func(name string) string {
		if content, ok := contents[name]; ok {
			return content
		}
		return env(name)
	}, nil
}
