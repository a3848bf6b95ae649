package expect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crdlab/crdlab/internal/playground"
)

// A request is the request for a document, as the comment "# crdlab:" describes it.
type request struct {
	operation playground.Operation
	// isStored reports that the document is the stored object itself: there is no request.
	isStored bool
	// isExplicit reports that the comment requests a create, which is refused if the object exists. Documents
	// without a comment are independent of each other.
	isExplicit bool
	// fieldValidation is empty for the mode of the command line.
	fieldValidation playground.FieldValidation
	fieldManager    string
	force           bool
	replicas        int
	// user and groups make the request; an empty user means the command line's.
	user   string
	groups []string
	// clientSide reports that an apply of a CRD is not server-side.
	clientSide bool
}

// storedOperation is the value of "# crdlab:" for a stored object.
const storedOperation = "stored"

// operations maps the values of "# crdlab:" to operations.
var operations = map[string]playground.Operation{
	"create":        playground.OperationCreate,
	"update":        playground.OperationUpdate,
	"status":        playground.OperationUpdateStatus,
	"apply":         playground.OperationApply,
	"delete":        playground.OperationDelete,
	"scale":         playground.OperationScale,
	storedOperation: playground.OperationCreate,
}

// fieldValidations maps the values of --validate to the values of the Kubernetes API.
var fieldValidations = map[string]playground.FieldValidation{
	"":       "",
	"strict": playground.FieldValidationStrict,
	"warn":   playground.FieldValidationWarn,
	"ignore": playground.FieldValidationIgnore,
}

// crdOperations lists the values of "# crdlab:" for CRDs.
var crdOperations = []string{"create", "update", "apply", storedOperation}

// parseRequest parses an operation and its flags, which have the meaning of kubectl's flags.
// An apply is server-side, except for a CRD with --server-side=false.
func parseRequest(words string, isCRD bool) (request, error) {
	fields := strings.Fields(words)
	if len(fields) == 0 {
		return request{}, errors.New("needs an operation")
	}
	operation, ok := operations[fields[0]]
	if fields[0] == "patch" && !isCRD {
		return request{}, errors.New("patch is not supported: write the whole object, as an update or apply. The API server refuses strategic merge patches of custom resources, which kubectl patch sends without --type=merge")
	}
	if !ok {
		return request{}, fmt.Errorf("%s is not one of create, update, status, apply, delete, scale and stored", fields[0])
	}
	if isCRD && !slices.Contains(crdOperations, fields[0]) {
		return request{}, fmt.Errorf("%s applies to objects, not to CRDs", fields[0])
	}
	r := request{operation: operation, isStored: fields[0] == storedOperation, isExplicit: fields[0] == "create"}
	validate := ""
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&validate, "validate", "", "")
	flags.StringVar(&r.user, "as", "", "")
	flags.StringArrayVar(&r.groups, "as-group", nil, "")
	if operation != playground.OperationDelete {
		flags.StringVar(&r.fieldManager, "field-manager", "", "")
	}
	serverSide, subresource := true, ""
	switch operation {
	case playground.OperationApply:
		flags.BoolVar(&r.force, "force-conflicts", false, "")
		flags.BoolVar(&serverSide, "server-side", true, "")
		if !isCRD {
			flags.StringVar(&subresource, "subresource", "", "")
		}
	case playground.OperationScale:
		flags.IntVar(&r.replicas, "replicas", 0, "")
	}
	if err := flags.Parse(fields[1:]); err != nil {
		return request{}, fmt.Errorf("%s: %w", fields[0], err)
	}
	if flags.NArg() > 0 {
		return request{}, fmt.Errorf("%s: unexpected %q", fields[0], flags.Arg(0))
	}
	if r.clientSide = !serverSide; r.clientSide && !isCRD {
		return request{}, fmt.Errorf("%s: --server-side=false applies to CRDs only: an apply of an object is server-side", fields[0])
	}
	switch subresource {
	case "":
	case "status":
		r.operation = playground.OperationApplyStatus
	default:
		return request{}, fmt.Errorf("%s: --subresource %q: must be status", fields[0], subresource)
	}
	if r.fieldValidation, ok = fieldValidations[validate]; !ok {
		return request{}, fmt.Errorf("%s: --validate %q: must be strict, warn or ignore", fields[0], validate)
	}
	return r, nil
}

// name returns the operation in the comment of the request.
func (r request) name() string {
	if r.operation == playground.OperationApplyStatus {
		return "apply --subresource=status"
	}
	for name, operation := range operations {
		if operation == r.operation && (name == storedOperation) == r.isStored {
			return name
		}
	}
	return ""
}

// apply sets the request in a scenario. stored is the stored object, or an empty string.
func (r request) apply(s *playground.Scenario, stored string) {
	s.Operation, s.FieldManager, s.Force, s.Replicas = r.operation, r.fieldManager, r.force, int32(r.replicas)
	if r.user != "" {
		s.User, s.Groups = r.user, strings.Join(r.groups, ",")
	}
	if r.fieldValidation != "" {
		s.FieldValidation = r.fieldValidation
	}
	if r.operation != playground.OperationCreate || r.isExplicit {
		s.OldObject = stored
	}
}

// applyCRD sets the request for a CRD in a scenario, whose OldCRD is the CRD in the cluster. A
// stored CRD replaces it, and so does an object created by default.
func (r request) applyCRD(s *playground.Scenario) {
	s.CRDOperation, s.CRDFieldManager, s.CRDForce = r.operation, r.fieldManager, r.force
	if r.operation == playground.OperationCreate && !r.isExplicit {
		s.OldCRD = ""
	}
	if r.clientSide {
		s.CRDOperation = playground.CRDOperationClientApply
	}
	if r.fieldValidation != "" {
		s.FieldValidation = r.fieldValidation
	}
}
