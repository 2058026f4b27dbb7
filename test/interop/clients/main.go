// Command clients uses a Kubernetes API server the way programs written in Go do, and prints the server's answers as facts.
//
// Two servers that behave alike print the same facts, because nothing here depends on the clock, on random names or on the order of
// unrelated events. Usage: clients KUBECONFIG [CHECK...]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// check runs in its own namespace.
type check struct {
	name string
	run  func(ctx context.Context, s *session) error
}

var checks = []check{
	{"typed", typed},
	{"defaults", defaults},
	{"patches", patches},
	{"errors", apiErrors},
	{"pages", pages},
	{"informers", informers},
	{"watches", watches},
	{"dynamic", dynamicClient},
	{"metadata", metadataClient},
	{"discovery", discoveryClient},
	{"apply", serverSideApply},
	{"conflicts", retryOnConflict},
	{"leases", leaderElection},
	{"events", recordEvents},
	{"definitions", definitions},
	{"tokens", tokens},
	{"reviews", reviews},
	{"certificates", certificates},
	{"namespaces", namespaceDeletion},
	{"garbage", garbage},
	{"manager", manager},
}

// session holds the clients of one check and the facts that it found.
type session struct {
	config    *rest.Config
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	crds      apiextensions.Interface
	namespace string
	facts     map[string]any
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: clients KUBECONFIG [CHECK...]")
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	config.QPS, config.Burst = 1000, 1000
	silence()
	report := map[string]map[string]any{}
	for _, c := range checks {
		if len(os.Args) > 2 && !slices.Contains(os.Args[2:], c.name) {
			continue
		}
		report[c.name] = run(config, c)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(report); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(config *rest.Config, c check) map[string]any {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := connect(config)
	s.namespace = "interop-" + c.name
	if err := s.createNamespace(ctx, s.namespace); err != nil {
		s.fact("namespace", err)
	}
	if err := c.run(ctx, s); err != nil {
		s.fact("failed", err)
	}
	return s.facts
}

// Built-in kinds use protobuf if the server supports it, as in the clients of Kubernetes' own components.
func connect(config *rest.Config) *session {
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return &session{
		config:   config,
		typed:    kubernetes.NewForConfigOrDie(binary),
		dynamic:  dynamic.NewForConfigOrDie(config),
		metadata: metadata.NewForConfigOrDie(config),
		crds:     apiextensions.NewForConfigOrDie(config),
		facts:    map[string]any{},
	}
}
