package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// volatile lists the fields that differ between any two runs on the same server.
var volatile = []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields"}

func (s *session) fact(name string, value any) {
	if err, isError := value.(error); isError {
		value = describe(err)
	}
	s.facts[name] = value
}

// outcome records the result of a call: the error as a client sees it, or "ok".
func (s *session) outcome(name string, err error) {
	if err == nil {
		s.fact(name, "ok")
		return
	}
	s.fact(name, err)
}

// object records the object that the server returned, without the fields that differ between runs.
func (s *session) object(name string, object any, err error) {
	if err != nil {
		s.fact(name, err)
		return
	}
	raw, err := json.Marshal(object)
	if err != nil {
		s.fact(name, err)
		return
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		s.fact(name, err)
		return
	}
	s.fact(name, scrub(plain))
}

func scrub(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		if meta, ok := typed["metadata"].(map[string]any); ok {
			maps.DeleteFunc(meta, func(key string, _ any) bool { return slices.Contains(volatile, key) })
		}
		if _, isReference := typed["controller"]; isReference {
			delete(typed, "uid")
		}
		for key, inner := range typed {
			typed[key] = scrub(inner)
		}
	case []any:
		for i, inner := range typed {
			typed[i] = scrub(inner)
		}
	}
	return value
}

func describe(err error) any {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return "error: " + err.Error()
	}
	s := status.Status()
	described := map[string]any{"code": s.Code, "reason": s.Reason, "message": s.Message}
	if s.Details != nil {
		described["causes"] = causesOf(s.Details)
		described["kind"] = s.Details.Group + "/" + s.Details.Kind
	}
	return described
}

// causesOf returns each cause once, sorted, because the order in which a server checks does not matter.
func causesOf(details *metav1.StatusDetails) []string {
	causes := []string{}
	for _, cause := range details.Causes {
		causes = append(causes, fmt.Sprintf("%s %s: %s", cause.Type, cause.Field, cause.Message))
	}
	slices.Sort(causes)
	return slices.Compact(causes)
}

func (s *session) createNamespace(ctx context.Context, name string) error {
	_, err := s.typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// silence keeps the logs of the libraries out of the report.
func silence() {
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
}
