package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/jsonpath"
)

const workFinalizer = "cluster." + group + "/manifest-work-cleanup"

type kinds struct {
	*restmapper.DeferredDiscoveryRESTMapper
}

func newKinds(config *rest.Config) *kinds {
	return &kinds{restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(config)))}
}

func (k *kinds) of(object *unstructured.Unstructured) (*meta.RESTMapping, error) {
	kind := object.GroupVersionKind()
	mapping, err := k.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		k.Reset()
		return k.RESTMapping(kind.GroupKind(), kind.Version)
	}
	return mapping, err
}

// syncWork performs the next step for a work: it adds the finalizer, applies the objects, reports the status, or removes the work.
func (a *agent) syncWork(ctx context.Context, work *unstructured.Unstructured) error {
	manifests, _, _ := unstructured.NestedSlice(work.Object, "spec", "workload", "manifests")
	if work.GetDeletionTimestamp() != nil {
		return a.removeWork(ctx, work, manifests)
	}
	if !slices.Contains(work.GetFinalizers(), workFinalizer) {
		return a.patchFinalizers(ctx, work, append(work.GetFinalizers(), workFinalizer))
	}
	after := work.DeepCopy()
	before := entriesOf(work)
	var entries []any
	failed := 0
	for i, manifest := range manifests {
		object := &unstructured.Unstructured{Object: manifest.(map[string]any)}
		entry, err := a.applyManifest(ctx, work, i, object, before)
		if err != nil {
			failed++
			say("retry", fmt.Sprintf("work %s: %s %s: %v", work.GetName(), object.GetKind(), object.GetName(), err))
		}
		entries = append(entries, entry)
	}
	unstructured.SetNestedSlice(after.Object, entries, "status", "resourceStatus", "manifests")
	status, reason, message := "True", "AppliedManifestWorkComplete", "Apply manifest work complete"
	if failed > 0 {
		status, reason, message = "False", "AppliedManifestWorkFailed", "Failed to apply manifest work"
	}
	conditions, _, _ := unstructured.NestedSlice(after.Object, "status", "conditions")
	conditions = withCondition(conditions, "Applied", status, reason, message, work.GetGeneration())
	conditions = withCondition(conditions, "Available", "True", "ResourcesAvailable", "All resources are available", work.GetGeneration())
	unstructured.SetNestedSlice(after.Object, conditions, "status", "conditions")
	return a.patchStatus(ctx, manifestWorks, work, after)
}

func entriesOf(work *unstructured.Unstructured) []any {
	entries, _, _ := unstructured.NestedSlice(work.Object, "status", "resourceStatus", "manifests")
	return entries
}

func (a *agent) applyManifest(ctx context.Context, work *unstructured.Unstructured, ordinal int, object *unstructured.Unstructured, before []any) (map[string]any, error) {
	mapping, err := a.mapper.of(object)
	if err != nil {
		return map[string]any{"resourceMeta": map[string]any{"ordinal": int64(ordinal)}, "conditions": withCondition(nil, "Applied", "False", "AppliedManifestFailed", err.Error(), nil)}, err
	}
	kind := object.GroupVersionKind()
	resource := map[string]any{
		"ordinal": int64(ordinal), "group": kind.Group, "version": kind.Version, "kind": kind.Kind,
		"resource": mapping.Resource.Resource, "name": object.GetName(), "namespace": object.GetNamespace(),
	}
	var conditions []any
	if ordinal < len(before) {
		conditions, _, _ = unstructured.NestedSlice(before[ordinal].(map[string]any), "conditions")
	}
	live, err := a.put(ctx, mapping.Resource, object)
	if err != nil {
		return map[string]any{"resourceMeta": resource, "conditions": withCondition(conditions, "Applied", "False", "AppliedManifestFailed", "Failed to apply manifest: "+err.Error(), nil)}, err
	}
	conditions = withCondition(conditions, "Applied", "True", "AppliedManifestComplete", "Apply manifest complete", nil)
	conditions = withCondition(conditions, "Available", "True", "ResourceAvailable", "Resource is available", nil)
	conditions = withCondition(conditions, "StatusFeedbackSynced", "True", "StatusFeedbackSynced", "", nil)
	return map[string]any{"resourceMeta": resource, "conditions": conditions, "statusFeedback": map[string]any{"values": feedback(work, resource, live)}}, nil
}

func (a *agent) put(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client := a.clientOf(resource, object)
	live, err := client.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return client.Create(ctx, object, metav1.CreateOptions{})
	}
	if err != nil || resource.Resource != "deployments" {
		return live, err
	}
	wanted := object.DeepCopy()
	wanted.SetResourceVersion(live.GetResourceVersion())
	if live, err = client.Update(ctx, wanted, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	return a.pretendReady(ctx, client, live)
}

// pretendReady reports workloads as ready instead of a kubelet, because none runs here.
func (a *agent) pretendReady(ctx context.Context, client dynamic.ResourceInterface, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	replicas, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	status, _ := json.Marshal(map[string]any{"status": map[string]any{
		"observedGeneration": live.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
	}})
	return client.Patch(ctx, live.GetName(), types.MergePatchType, status, metav1.PatchOptions{}, "status")
}

func (a *agent) clientOf(resource schema.GroupVersionResource, object *unstructured.Unstructured) dynamic.ResourceInterface {
	if object.GetNamespace() == "" {
		return a.spokeObjects.Resource(resource)
	}
	return a.spokeObjects.Resource(resource).Namespace(object.GetNamespace())
}

var wellKnown = []struct{ name, path string }{
	{"ReadyReplicas", ".status.readyReplicas"}, {"Replicas", ".status.replicas"}, {"AvailableReplicas", ".status.availableReplicas"},
}

// feedback reads the values of one object that the work's feedback rules select.
func feedback(work *unstructured.Unstructured, resource map[string]any, live *unstructured.Unstructured) []any {
	configs, _, _ := unstructured.NestedSlice(work.Object, "spec", "manifestConfigs")
	values := []any{}
	for _, config := range configs {
		identifier, _, _ := unstructured.NestedMap(config.(map[string]any), "resourceIdentifier")
		if identifier["resource"] != resource["resource"] || identifier["name"] != resource["name"] {
			continue
		}
		rules, _, _ := unstructured.NestedSlice(config.(map[string]any), "feedbackRules")
		for _, rule := range rules {
			if rule.(map[string]any)["type"] == "WellKnownStatus" {
				for _, known := range wellKnown {
					values = appendValue(values, known.name, known.path, live)
				}
			}
			paths, _, _ := unstructured.NestedSlice(rule.(map[string]any), "jsonPaths")
			for _, path := range paths {
				name, _ := path.(map[string]any)["name"].(string)
				expression, _ := path.(map[string]any)["path"].(string)
				values = appendValue(values, name, expression, live)
			}
		}
	}
	return values
}

func appendValue(values []any, name, path string, live *unstructured.Unstructured) []any {
	parser := jsonpath.New(name).AllowMissingKeys(true)
	if parser.Parse("{"+strings.TrimSuffix(strings.TrimPrefix(path, "{"), "}")+"}") != nil {
		return values
	}
	found, err := parser.FindResults(live.Object)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return values
	}
	switch value := found[0][0].Interface().(type) {
	case int64:
		return append(values, map[string]any{"name": name, "fieldValue": map[string]any{"type": "Integer", "integer": value}})
	case string:
		return append(values, map[string]any{"name": name, "fieldValue": map[string]any{"type": "String", "string": value}})
	case bool:
		return append(values, map[string]any{"name": name, "fieldValue": map[string]any{"type": "Boolean", "boolean": value}})
	}
	return values
}

func (a *agent) removeWork(ctx context.Context, work *unstructured.Unstructured, manifests []any) error {
	for _, manifest := range slices.Backward(manifests) {
		object := &unstructured.Unstructured{Object: manifest.(map[string]any)}
		mapping, err := a.mapper.of(object)
		if err != nil {
			continue
		}
		if err := a.clientOf(mapping.Resource, object).Delete(ctx, object.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	say("removed", work.GetName())
	return a.patchFinalizers(ctx, work, slices.DeleteFunc(work.GetFinalizers(), func(finalizer string) bool { return finalizer == workFinalizer }))
}

func (a *agent) patchFinalizers(ctx context.Context, work *unstructured.Unstructured, finalizers []string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": work.GetUID(), "resourceVersion": work.GetResourceVersion(), "finalizers": finalizers}})
	if err != nil {
		return err
	}
	_, err = a.hubObjects.Resource(manifestWorks).Namespace(work.GetNamespace()).Patch(ctx, work.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
