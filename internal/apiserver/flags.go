package apiserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/server/options"
)

// silentFlags matches flags of kube-apiserver without a note: what they configure does not exist
// here, or has no influence on the answers of a server for tests. envtest sets those of service
// accounts each time, but the server has an issuer and a key of its own.
var silentFlags = regexp.MustCompile(`^(allow-privileged|api-audiences|enable-bootstrap-token-auth|endpoint-reconciler-type|profiling|v|vmodule|` +
	`(etcd|insecure|kubelet|log|logging|proxy-client|requestheader|service|storage|watch-cache)(-.*)?)$`)

// FromFlags returns the options for the command line of kube-apiserver. It also returns a sentence
// for each flag that would change answers of kube-apiserver, but not those of this server. For
// --help, it prints the flags and returns [pflag.ErrHelp]. The listener accepts connections already.
func FromFlags(arguments []string, out io.Writer) (o Options, notes []string, err error) {
	serving := options.NewSecureServingOptions()
	serving.ServerCert.CertDirectory = ""
	serving.Required = true
	users := options.ClientCertAuthenticationOptions{}
	var modes []string
	var tokens string
	o.RemoteWebhooks = true // as under envtest
	o.Run, o.Admission = options.NewServerRunOptions(), newAdmissionOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	flags.SetOutput(out)
	serving.AddFlags(flags)
	users.AddFlags(flags)
	o.Run.AddUniversalFlags(flags)
	o.Admission.AddFlags(flags)
	flags.StringVar(&tokens, "token-auth-file", "", "File with a token, a name, a UID and optional groups in each line.")
	flags.StringSliceVar(&modes, "authorization-mode", []string{"RBAC"}, "AlwaysAllow, or else RBAC.")

	known, notes := splitFlags(flags, arguments)
	if err := flags.Parse(known); err != nil {
		return o, nil, err
	}
	if err := errors.Join(serving.Validate()...); err != nil {
		return o, nil, err
	}
	o.AllowAll = slices.Contains(modes, "AlwaysAllow")
	for _, mode := range modes {
		if mode != "AlwaysAllow" && mode != "RBAC" {
			notes = append(notes, fmt.Sprintf("the authorization mode %s is not part of this server", mode))
		}
	}
	isMissing := func(plugin string) bool { return !slices.Contains(o.Admission.Plugins.Registered(), plugin) }
	for _, plugin := range o.Admission.EnablePlugins {
		if isMissing(plugin) {
			notes = append(notes, fmt.Sprintf("the admission plugin %s is not part of this server", plugin))
		}
	}
	o.Admission.EnablePlugins = slices.DeleteFunc(o.Admission.EnablePlugins, isMissing)
	o.Admission.DisablePlugins = slices.DeleteFunc(o.Admission.DisablePlugins, isMissing)

	if tokens != "" {
		if o.Tokens, err = tokenfile.NewCSV(tokens); err != nil {
			return o, nil, fmt.Errorf("--token-auth-file: %w", err)
		}
	}
	if err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, nil); err != nil {
		return o, nil, err
	}
	if o.ClientCA, err = users.GetClientCAContentProvider(); err != nil {
		return o, nil, err
	}
	if err := serving.ApplyTo(&o.Serving); err != nil {
		return o, nil, err
	}
	if o.Host, _, err = net.SplitHostPort(o.Serving.Listener.Addr().String()); err != nil {
		return o, nil, err
	}
	if serving.BindAddress.IsUnspecified() {
		o.Host = "localhost"
	}
	return o, notes, nil
}

// splitFlags returns the flags of a command line that exist, with their values, and a note for
// each other one, except for the [silentFlags].
func splitFlags(flags *pflag.FlagSet, arguments []string) (known, notes []string) {
	skips := false
	for _, argument := range arguments {
		name, _, _ := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if strings.HasPrefix(argument, "-") {
			skips = name != "help" && name != "h" && flags.Lookup(name) == nil
			if skips && !silentFlags.MatchString(name) {
				notes = append(notes, fmt.Sprintf("the flag --%s has no effect on this server", name))
			}
		}
		if !skips {
			known = append(known, argument)
		}
	}
	return known, notes
}
