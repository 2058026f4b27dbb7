package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// journal records the events that handlers received, per object, so that only the order within one object counts.
type journal struct {
	sync.Mutex
	entries map[string][]string
}

func (j *journal) add(kind string, object any) {
	j.Lock()
	defer j.Unlock()
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	meta := object.(metav1.Object)
	j.entries[meta.GetName()] = append(j.entries[meta.GetName()], fmt.Sprint(kind, " ", meta.GetLabels()["step"]))
}

func (j *journal) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { j.add("add", object) },
		UpdateFunc: func(before, after any) {
			if before.(metav1.Object).GetResourceVersion() != after.(metav1.Object).GetResourceVersion() {
				j.add("update", after)
			}
		},
		DeleteFunc: func(object any) { j.add("delete", object) },
	}
}

func (j *journal) settled(ctx context.Context, name string, count int) error {
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 15*time.Second, true, func(context.Context) (bool, error) {
		j.Lock()
		defer j.Unlock()
		return len(j.entries[name]) >= count, nil
	})
}

func informers(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	if _, err := maps.Create(ctx, configMap("before", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	seen := &journal{entries: map[string][]string{}}
	factory := clientinformers.NewSharedInformerFactoryWithOptions(s.typed, 0, clientinformers.WithNamespace(s.namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err := informer.AddEventHandler(seen.handler()); err != nil {
		return err
	}
	cluster := clientinformers.NewSharedInformerFactory(s.typed, 0)
	others := []cache.InformerSynced{
		cluster.Core().V1().Namespaces().Informer().HasSynced, cluster.Core().V1().Nodes().Informer().HasSynced,
		cluster.Core().V1().Secrets().Informer().HasSynced, cluster.Apps().V1().Deployments().Informer().HasSynced,
		cluster.Certificates().V1().CertificateSigningRequests().Informer().HasSynced, cluster.Coordination().V1().Leases().Informer().HasSynced,
		cluster.Rbac().V1().ClusterRoles().Informer().HasSynced, cluster.Rbac().V1().RoleBindings().Informer().HasSynced,
		cluster.Core().V1().ServiceAccounts().Informer().HasSynced, cluster.Core().V1().Events().Informer().HasSynced,
		cluster.Admissionregistration().V1().ValidatingWebhookConfigurations().Informer().HasSynced,
		cluster.Discovery().V1().EndpointSlices().Informer().HasSynced, cluster.Batch().V1().Jobs().Informer().HasSynced,
	}
	factory.Start(ctx.Done())
	cluster.Start(ctx.Done())
	short, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	s.fact("synced", cache.WaitForCacheSync(short.Done(), informer.HasSynced))
	s.fact("others synced", cache.WaitForCacheSync(short.Done(), others...))
	if err := seen.settled(ctx, "before", 1); err != nil {
		return err
	}
	if err := s.journey(ctx, seen); err != nil {
		return err
	}
	seen.Lock()
	s.fact("before", seen.entries["before"])
	s.fact("after", seen.entries["after"])
	seen.Unlock()
	return nil
}

// journey creates an object, changes it and deletes it. Each step waits until the previous change has been observed.
func (s *session) journey(ctx context.Context, seen *journal) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	if _, err := maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := seen.settled(ctx, "after", 1); err != nil {
		return fmt.Errorf("add: %w", err)
	}
	if _, err := maps.Patch(ctx, "after", types.MergePatchType, []byte(`{"metadata":{"labels":{"step":"two"}}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := seen.settled(ctx, "after", 2); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if err := maps.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return seen.settled(ctx, "after", 3)
}

func watches(ctx context.Context, s *session) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	start, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("w", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	s.fact("from a version", s.read(ctx, metav1.ListOptions{ResourceVersion: start.ResourceVersion}, 1, "w"))
	streaming := metav1.ListOptions{SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}
	s.fact("streaming list", s.read(ctx, streaming, 2, "w", ""))
	s.fact("field selector", s.read(ctx, metav1.ListOptions{ResourceVersion: start.ResourceVersion, FieldSelector: "metadata.name=w"}, 1, "w"))
	_, err = maps.Watch(ctx, metav1.ListOptions{SendInitialEvents: ptr.To(true)})
	s.outcome("initial events without a match", err)
	_, err = maps.Watch(ctx, metav1.ListOptions{ResourceVersion: "nonsense"})
	s.outcome("bad version", err)
	seconds := int64(1)
	timed, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: start.ResourceVersion, TimeoutSeconds: &seconds})
	if err != nil {
		return err
	}
	ended := 0
	for range timed.ResultChan() {
		ended++
	}
	s.fact("timed watch ends", fmt.Sprint(ended >= 1))
	future, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: "999999999"})
	if err != nil {
		s.fact("version of the future", apierrors.ReasonForError(err))
		return nil
	}
	future.Stop()
	return nil
}

func (s *session) read(ctx context.Context, options metav1.ListOptions, count int, names ...string) any {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	watcher, err := s.typed.CoreV1().ConfigMaps(s.namespace).Watch(ctx, options)
	if err != nil {
		return describe(err)
	}
	defer watcher.Stop()
	var got []string
	for len(got) < count {
		event, open := <-watcher.ResultChan()
		if !open {
			return append(got, "closed")
		}
		object := event.Object.(metav1.Object)
		if !slices.Contains(names, object.GetName()) {
			continue // This is the root certificate that every namespace gets.
		}
		got = append(got, fmt.Sprint(event.Type, " ", object.GetName(), " ", bookmarkOf(event)))
	}
	return got
}

func bookmarkOf(event watch.Event) string {
	if event.Type != watch.Bookmark {
		return ""
	}
	raw, _ := json.Marshal(event.Object.(*corev1.ConfigMap).Annotations)
	return string(raw)
}

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func dynamicClient(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := &journal{entries: map[string][]string{}}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.dynamic, 0, s.namespace, nil)
	if _, err := factory.ForResource(configMaps).Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for resource, synced := range factory.WaitForCacheSync(ctx.Done()) {
		s.fact("synced "+resource.Resource, synced)
	}
	if err := s.journey(ctx, seen); err != nil {
		return err
	}
	seen.Lock()
	s.fact("after", seen.entries["after"])
	seen.Unlock()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "u"}, "data": map[string]any{"n": "1"}, "unknown": true}}
	_, err := s.dynamic.Resource(configMaps).Namespace(s.namespace).Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	s.outcome("strict", err)
	made, err := s.dynamic.Resource(configMaps).Namespace(s.namespace).Create(ctx, object, metav1.CreateOptions{})
	s.object("lenient", made, err)
	list, err := s.dynamic.Resource(configMaps).Namespace(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: "!never", FieldSelector: "metadata.name=u"})
	s.object("list", list, err)
	return nil
}

func metadataClient(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := &journal{entries: map[string][]string{}}
	factory := metadatainformer.NewFilteredSharedInformerFactory(s.metadata, 0, s.namespace, nil)
	if _, err := factory.ForResource(configMaps).Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for resource, synced := range factory.WaitForCacheSync(ctx.Done()) {
		s.fact("synced "+resource.Resource, synced)
	}
	if err := s.journey(ctx, seen); err != nil {
		return err
	}
	if _, err := s.typed.CoreV1().ConfigMaps(s.namespace).Create(ctx, configMap("m", map[string]string{"big": "x"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	got, err := s.metadata.Resource(configMaps).Namespace(s.namespace).Get(ctx, "m", metav1.GetOptions{})
	s.object("get", got, err)
	patched, err := s.metadata.Resource(configMaps).Namespace(s.namespace).Patch(ctx, "m", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	s.object("patch", patched, err)
	s.outcome("delete", s.metadata.Resource(configMaps).Namespace(s.namespace).Delete(ctx, "m", metav1.DeleteOptions{}))
	return nil
}
