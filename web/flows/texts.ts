/** A CRD for the flows: a default, limits, a rule, columns. */
export const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cronSpec}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: self.replicas <= 5 || has(self.image)
              message: many replicas need an image
            properties:
              cronSpec: {type: string}
              image: {type: string}
              replicas: {type: integer, minimum: 1, maximum: 10, default: 1}
`;

export const object = (replicas: string): string => `apiVersion: stable.example.com/v1
kind: CronTab
metadata:
  name: my-cron
spec:
  cronSpec: "* * * * */5"
  replicas: ${replicas}
`;

/** Markup that would run if a string were interpreted as HTML. */
export const markup = `"><img src=x onerror="window.pwned=1"></textarea><script>window.pwned=1</script>`;

/** Documents with markup in every string that a panel shows. */
export const hostileCRD = crd
  .replace("many replicas need an image", JSON.stringify(markup))
  .replace("name: Spec", `name: ${JSON.stringify(markup)}`)
  .replace("image: {type: string}", `image: {type: string}\n              ${JSON.stringify(markup)}: {type: string, default: ${JSON.stringify(markup)}}`);

export const hostileObject = (replicas: string): string =>
  object(replicas)
    .replace('"* * * * */5"', JSON.stringify(markup))
    .replace("name: my-cron", `name: my-cron\n  annotations: {note: ${JSON.stringify(markup)}}`);

/** Go types with the CRD disks.example.com. */
export const types = `// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Disk struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`

	Spec DiskSpec \`json:"spec"\`
}

// +kubebuilder:validation:XValidation:rule="self.used <= self.size",message="the disk is full"
type DiskSpec struct {
	Size int64 \`json:"size"\`
	// +kubebuilder:validation:Minimum=0
	Used int64 \`json:"used"\`
}
`;
