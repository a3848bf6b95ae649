package gotypes

import (
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"time"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// days matches a number of days or weeks.
var days = regexp.MustCompile(`^(\d{1,6})([dw])$`)

// durations reports the markers of a metav1.Duration whose values Go cannot decode.
func (p *places) durations(pkg *loader.Package, field markers.FieldInfo) []manifest.Finding {
	if types.Unalias(typeOf(pkg, field.RawField.Type)).String() != "k8s.io/apimachinery/pkg/apis/meta/v1.Duration" {
		return nil
	}
	var all []manifest.Finding
	o := origin{pkg, field.RawField}
	for _, comment := range p.commentsOf(pkg).of[o.node] {
		what, values := "value", []any(nil)
		switch marker := p.value(o.node, comment).(type) {
		case crdmarkers.Default:
			what, values = "default", []any{marker.Value}
		case crdmarkers.KubernetesDefault:
			what, values = "default", []any{marker.Value}
		case crdmarkers.Example:
			what, values = "example", []any{marker.Value}
		case crdmarkers.Enum:
			values = marker
		case crdmarkers.Format:
			if marker == "duration" {
				all = append(all, manifest.Finding{
					Place: p.marker(o, comment), Severity: playground.SeverityInfo,
					Message: `The format duration accepts values that Go cannot decode, such as "2d". A Go client cannot list the objects of the kind if one has such a value.`,
					Hint:    "Replace the marker by +kubebuilder:validation:Pattern=`^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$`.",
				})
			}
		}
		for _, value := range values {
			text, ok := value.(string)
			_, err := time.ParseDuration(text)
			if !ok || err == nil {
				continue
			}
			problem := manifest.Finding{
				Place: p.marker(o, comment), Severity: playground.SeverityWarning, Hint: "Write a number with the unit h, m, s or ms, such as 2h45m.",
				Message: fmt.Sprintf("Go cannot decode the %s %q of %s. A Go client cannot list the objects of the kind if one has this value.", what, text, field.Name),
			}
			if match := days.FindStringSubmatch(text); match != nil {
				hours, _ := strconv.Atoi(match[1]) // The pattern permits only numbers.
				hours *= map[string]int{"d": 24, "w": 7 * 24}[match[2]]
				start := strings.LastIndex(comment.Text, text)
				problem.Hint = fmt.Sprintf("Write %dh.", hours)
				problem.Fixes = newFix(p.tokenRange(o, comment, start, start+len(text)), fmt.Sprintf("%dh", hours), fmt.Sprintf("Write %dh", hours), true)
			}
			all = append(all, problem)
		}
	}
	return all
}
