// Package docs holds the documents.
package docs

import "embed"

// Files has the documents, such as "cli.md", and one for each command, such as "cli/check.md".
//
//go:embed *.md cli/*.md
var Files embed.FS
