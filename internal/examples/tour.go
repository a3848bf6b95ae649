package examples

// A Step is an example of the tour, whose CRD or object is rejected until it is mended.
type Step struct{ ID, Task string }

// Tour lists the steps of the tour in their order.
var Tour = []Step{
	{"crontab-validation", "Give spec.cronSpec five parts, such as \"*/5 * * * *\", and set spec.replicas to 10."},
	{"structural-any-of", "Set bar of the second object to 42, and rename the third object to ab-2."},
	{"non-structural-items", "Declare items next to type: array, as objects with the string foo."},
	{"crontab-rules", "Set spec.replicas to 10, the value of spec.maxReplicas."},
	{"rule-map-has-key", "Rename the key Ready of the second object to Available."},
	{"compile-no-overload", "Compare self with the integer 1 instead of true."},
	{"cost-refused", "Limit the list with maxItems: 10 and its strings with maxLength: 100."},
	{"transition-rule", "Set level to medium, because the rule forbids the change from low to high."},
	{"two-storage-versions", "Set storage: false on v1, because exactly one version stores the objects."},
	{"admission-policy", "Add pineapple to the ConfigMap in the tab Admission."},
}
