package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// announce creates the ManagedCluster if it does not exist.
func (a *agent) announce(ctx context.Context) error {
	clusters := dynamic.NewForConfigOrDie(a.bootstrap).Resource(managedClusters)
	_, err := clusters.Get(ctx, a.cluster, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	_, err = clusters.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": managedClusters.GroupVersion().String(), "kind": "ManagedCluster",
		"metadata": map[string]any{"name": a.cluster},
		"spec":     map[string]any{"hubAcceptsClient": false, "managedClusterClientConfigs": []any{map[string]any{"url": "https://spoke.example:6443", "caBundle": "Y2E="}}},
		"status":   map[string]any{"conditions": nil, "version": map[string]any{}},
	}}, metav1.CreateOptions{})
	say("announced", fmt.Sprint(err))
	return err
}

func (a *agent) syncCluster(ctx context.Context, cluster *unstructured.Unstructured) error {
	if conditionOf(cluster, "HubAcceptedManagedCluster")["status"] != "True" {
		return nil
	}
	version, err := a.spoke.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	after := cluster.DeepCopy()
	setCondition(after, "ManagedClusterJoined", "True", "ManagedClusterJoined", "Managed cluster joined")
	setCondition(after, "ManagedClusterConditionAvailable", "True", "ManagedClusterAvailable", "Managed cluster is available")
	unstructured.SetNestedField(after.Object, version.GitVersion, "status", "version", "kubernetes")
	unstructured.SetNestedField(after.Object, "4", "status", "capacity", "cpu")
	unstructured.SetNestedField(after.Object, "4", "status", "allocatable", "cpu")
	unstructured.SetNestedSlice(after.Object, []any{map[string]any{"name": "id.k8s.io", "value": a.cluster}}, "status", "clusterClaims")
	return a.patchStatus(ctx, managedClusters, cluster, after)
}

// renewLease reads and writes the lease as often as a short test needs.
func (a *agent) renewLease(ctx context.Context) {
	for ; ctx.Err() == nil; time.Sleep(time.Second) {
		leases := a.hubClient.CoordinationV1().Leases(a.cluster)
		lease, err := leases.Get(ctx, "managed-cluster-lease", metav1.GetOptions{})
		if err != nil {
			continue // The lease, and the permission to read it, exist only after the hub has accepted the cluster.
		}
		now := metav1.NewMicroTime(time.Now())
		lease.Spec.RenewTime = &now
		if _, err := leases.Update(ctx, lease, metav1.UpdateOptions{}); err != nil {
			say("retry", "lease: "+err.Error())
		}
	}
}

func conditionOf(object *unstructured.Unstructured, kind string) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		if c := condition.(map[string]any); c["type"] == kind {
			return c
		}
	}
	return map[string]any{}
}

// setCondition changes the transition time only if the status changes.
func setCondition(object *unstructured.Unstructured, kind, status, reason, message string) {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	unstructured.SetNestedSlice(object.Object, withCondition(conditions, kind, status, reason, message, nil), "status", "conditions")
}

func withCondition(conditions []any, kind, status, reason, message string, generation any) []any {
	entry := map[string]any{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}
	if generation != nil {
		entry["observedGeneration"] = generation
	}
	for i, condition := range conditions {
		old := condition.(map[string]any)
		if old["type"] != kind {
			continue
		}
		if old["status"] == status {
			entry["lastTransitionTime"] = old["lastTransitionTime"]
		}
		conditions[i] = entry
		return conditions
	}
	return append(conditions, entry)
}

// patchStatus sends a changed status as a merge patch with uid and resourceVersion, so that it applies only to the object it was computed
// from.
func (a *agent) patchStatus(ctx context.Context, resource schema.GroupVersionResource, before, after *unstructured.Unstructured) error {
	old, _ := json.Marshal(before.Object["status"])
	changed, _ := json.Marshal(after.Object["status"])
	if string(old) == string(changed) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": before.GetUID(), "resourceVersion": before.GetResourceVersion()},
		"status":   after.Object["status"],
	})
	if err != nil {
		return err
	}
	_, err = a.hubObjects.Resource(resource).Namespace(before.GetNamespace()).Patch(ctx, before.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
