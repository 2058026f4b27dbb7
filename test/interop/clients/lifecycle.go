package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func definition(group, kind, plural string) *extensionsv1.CustomResourceDefinition {
	object := func(properties map[string]extensionsv1.JSONSchemaProps) extensionsv1.JSONSchemaProps {
		return extensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	spec := object(map[string]extensionsv1.JSONSchemaProps{
		"size":  {Type: "integer", Minimum: ptr.To(1.0), Default: &extensionsv1.JSON{Raw: []byte("1")}},
		"color": {Type: "string", Enum: []extensionsv1.JSON{{Raw: []byte(`"red"`)}, {Raw: []byte(`"blue"`)}}},
	})
	spec.XValidations = extensionsv1.ValidationRules{{Rule: "self.size < 10", Message: "too big"}}
	status := object(map[string]extensionsv1.JSONSchemaProps{"phase": {Type: "string"}})
	root := object(map[string]extensionsv1.JSONSchemaProps{"spec": spec, "status": status})
	return &extensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: extensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: extensionsv1.NamespaceScoped,
			Names: extensionsv1.CustomResourceDefinitionNames{Kind: kind, Plural: plural},
			Versions: []extensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &extensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &extensionsv1.CustomResourceSubresources{Status: &extensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}

func (s *session) define(ctx context.Context, crd *extensionsv1.CustomResourceDefinition) error {
	definitions := s.crds.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		current, err := definitions.Get(ctx, crd.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range current.Status.Conditions {
			if condition.Type == extensionsv1.Established && condition.Status == extensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
}

func definitions(ctx context.Context, s *session) error {
	crd := definition("interop.example", "Gadget", "gadgets")
	if err := s.define(ctx, crd); err != nil {
		return err
	}
	stored, err := s.crds.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, crd.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	s.object("definition", stored.Spec, nil)
	for _, condition := range stored.Status.Conditions {
		s.fact("condition "+string(condition.Type), fmt.Sprint(condition.Status, condition.Reason, condition.Message))
	}
	gadgets := s.dynamic.Resource(schema.GroupVersionResource{Group: "interop.example", Version: "v1", Resource: "gadgets"}).Namespace(s.namespace)
	gadget := func(name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "interop.example/v1", "kind": "Gadget", "metadata": map[string]any{"name": name}, "spec": spec}}
	}
	made, err := gadgets.Create(ctx, gadget("g", map[string]any{"color": "red", "unknown": "x"}), metav1.CreateOptions{})
	s.object("created", made, err)
	for name, spec := range map[string]map[string]any{"small": {"size": int64(0)}, "big": {"size": int64(12)}, "green": {"color": "green"}, "typed": {"size": "x"}} {
		_, err := gadgets.Create(ctx, gadget(name, spec), metav1.CreateOptions{})
		s.outcome("refused "+name, err)
	}
	_, err = gadgets.Create(ctx, gadget("strict", map[string]any{"unknown": "x"}), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	s.outcome("refused strict", err)
	if made != nil {
		unstructured.SetNestedField(made.Object, "Up", "status", "phase")
		unstructured.SetNestedField(made.Object, int64(5), "spec", "size")
		reported, err := gadgets.UpdateStatus(ctx, made, metav1.UpdateOptions{})
		s.object("status", reported, err)
	}
	_, err = gadgets.Patch(ctx, "g", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	s.outcome("strategic", err)
	bad := definition("interop.example", "Bad", "bads")
	bad.Spec.Versions[0].Schema = nil
	_, err = s.crds.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, bad, metav1.CreateOptions{})
	s.outcome("without a schema", err)
	if err := s.crds.ApiextensionsV1().CustomResourceDefinitions().Delete(ctx, crd.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := gadgets.List(ctx, metav1.ListOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func namespaceDeletion(ctx context.Context, s *session) error {
	name := "interop-short-lived"
	if err := s.createNamespace(ctx, name); err != nil {
		return err
	}
	held := configMap("held", nil)
	held.Finalizers = []string{"interop.example/hold"}
	maps := s.typed.CoreV1().ConfigMaps(name)
	if _, err := maps.Create(ctx, held, metav1.CreateOptions{}); err != nil {
		return err
	}
	namespaces := s.typed.CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	var stuck *corev1.Namespace
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		var err error
		stuck, err = namespaces.Get(ctx, name, metav1.GetOptions{})
		return err == nil && len(stuck.Status.Conditions) >= 5, err
	})
	s.outcome("terminating", err)
	s.fact("phase", fmt.Sprint(stuck.Status.Phase, stuck.Spec.Finalizers))
	for _, condition := range stuck.Status.Conditions {
		s.fact("condition "+string(condition.Type), fmt.Sprint(condition.Status, condition.Reason, condition.Message))
	}
	_, err = maps.Create(ctx, configMap("late", nil), metav1.CreateOptions{})
	s.fact("refused as terminating", apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause))
	s.outcome("create while terminating", err)
	if _, err := maps.Patch(ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 40*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

// copier keeps a Deployment per ConfigMap, with a finalizer, and an annotation that records it.
type copier struct{ client.Client }

func (c *copier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	source := &corev1.ConfigMap{}
	if err := c.Get(ctx, request.NamespacedName, source); err != nil || source.Data["copy"] == "" {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if source.DeletionTimestamp != nil {
		before := source.DeepCopy()
		if controllerutil.RemoveFinalizer(source, "interop.example/copy") {
			return ctrl.Result{}, c.Patch(ctx, source, client.MergeFrom(before))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(source, "interop.example/copy") {
		return ctrl.Result{}, c.Update(ctx, source)
	}
	target := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: source.Namespace}}
	_, err := controllerutil.CreateOrPatch(ctx, c, target, func() error {
		target.Spec.Replicas = ptr.To(int32(len(source.Data["copy"])))
		if target.ResourceVersion == "" {
			target.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
			target.Spec.Template = podTemplate
		}
		return controllerutil.SetControllerReference(source, target, c.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	target.Status.ObservedGeneration = target.Generation
	return ctrl.Result{}, c.Status().Update(ctx, target)
}

func manager(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := ctrl.NewManager(s.config, ctrl.Options{
		Scheme: scheme.Scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:                   cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}},
		LeaderElection:          true,
		LeaderElectionID:        "interop",
		LeaderElectionNamespace: s.namespace,
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(m).For(&corev1.ConfigMap{}).Owns(&appsv1.Deployment{}).Complete(&copier{m.GetClient()}); err != nil {
		return err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- m.Start(ctx) }()
	direct, err := client.New(s.config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	source := configMap("source", map[string]string{"copy": "xx"})
	source.Namespace = s.namespace
	if err := direct.Create(ctx, source); err != nil {
		return err
	}
	target := &appsv1.Deployment{}
	copied := func(replicas int32) error {
		return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
			err := direct.Get(ctx, client.ObjectKeyFromObject(source), target)
			return err == nil && *target.Spec.Replicas == replicas && target.Status.ObservedGeneration == target.Generation, client.IgnoreNotFound(err)
		})
	}
	s.outcome("made", copied(2))
	s.outcome("patched", direct.Patch(ctx, source, client.RawPatch(types.MergePatchType, []byte(`{"data":{"copy":"xxx"}}`))))
	s.outcome("followed", copied(3))
	target.Spec.Replicas = ptr.To(int32(9))
	s.outcome("broken", client.IgnoreNotFound(direct.Patch(ctx, target, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":9}}`)))))
	s.outcome("mended", copied(3))
	s.object("target", target, nil)
	s.outcome("deleted", direct.Delete(ctx, source))
	gone := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		return apierrors.IsNotFound(direct.Get(ctx, client.ObjectKeyFromObject(source), source)) && apierrors.IsNotFound(direct.Get(ctx, client.ObjectKeyFromObject(target), target)), nil
	})
	s.outcome("collected", gone)
	_, err = m.GetRESTMapper().RESTMapping(schema.GroupKind{Group: "nobody.example", Kind: "Thing"})
	s.fact("no match is", meta.IsNoMatchError(err))
	cancel()
	s.outcome("stopped", <-stopped)
	return nil
}
