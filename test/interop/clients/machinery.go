package main

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
)

func discoveryClient(_ context.Context, s *session) error {
	client := discovery.NewDiscoveryClientForConfigOrDie(s.config)
	groups, err := client.ServerGroups()
	if err != nil {
		return err
	}
	s.fact("some groups", len(groups.Groups) > 10)
	preferred, err := client.ServerPreferredResources()
	s.outcome("preferred resources", err)
	for _, list := range preferred {
		for _, r := range list.APIResources {
			switch r.Name {
			case "configmaps", "deployments", "leases", "certificatesigningrequests", "customresourcedefinitions", "clusterroles":
				sort.Strings(r.ShortNames)
				s.fact("resource "+r.Name, fmt.Sprint(list.GroupVersion, r.Kind, r.SingularName, r.Namespaced, r.Verbs, r.ShortNames, r.Categories))
			}
		}
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	for _, kind := range []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Kind: "Node"}, {Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}, {Group: "nobody", Kind: "Thing"}} {
		mapping, err := mapper.RESTMapping(kind)
		if err != nil {
			s.fact("mapping "+kind.Kind, err)
			continue
		}
		s.fact("mapping "+kind.Kind, fmt.Sprint(mapping.Resource, mapping.Scope.Name()))
	}
	resource, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	s.fact("short name without expanding", fmt.Sprint(resource, err))
	full, err := restmapper.NewShortcutExpander(mapper, client, nil).ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	s.fact("short name", fmt.Sprint(full, err))
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	_, hasApps := paths["apis/apps/v1"]
	s.fact("openapi v3 of apps", hasApps)
	_, err = client.OpenAPISchema()
	s.outcome("openapi v2", err)
	return nil
}

func serverSideApply(ctx context.Context, s *session) error {
	deployments := s.typed.AppsV1().Deployments(s.namespace)
	container := coreapply.Container().WithName("c").WithImage("nginx").WithPorts(coreapply.ContainerPort().WithContainerPort(80))
	desired := appsapply.Deployment("d", s.namespace).WithLabels(map[string]string{"l": "1"}).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(2).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(map[string]string{"app": "a"})).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(map[string]string{"app": "a"}).WithSpec(coreapply.PodSpec().WithContainers(container))))
	applied, err := deployments.Apply(ctx, desired, metav1.ApplyOptions{FieldManager: "one"})
	s.object("apply", applied, err)
	if err != nil {
		return err
	}
	again, err := deployments.Apply(ctx, desired, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	s.fact("applying again writes nothing", again.ResourceVersion == applied.ResourceVersion)
	other := appsapply.Deployment("d", s.namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(5))
	_, err = deployments.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two"})
	s.fact("conflict is", apierrors.IsConflict(err))
	s.outcome("conflict", err)
	forced, err := deployments.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	extracted, err := appsapply.ExtractDeployment(forced, "two")
	s.object("extracted", extracted, err)
	for _, entry := range forced.ManagedFields {
		s.fact("fields of "+entry.Manager, fmt.Sprint(entry.Operation, entry.APIVersion, string(entry.FieldsV1.Raw)))
	}
	desired.Spec.Replicas = nil
	desired.Labels = nil
	released, err := deployments.Apply(ctx, desired, metav1.ApplyOptions{FieldManager: "one"})
	s.object("released", released, err)
	_, err = deployments.Apply(ctx, desired, metav1.ApplyOptions{})
	s.outcome("no manager", err)
	_, err = s.typed.CoreV1().ConfigMaps(s.namespace).Apply(ctx, coreapply.ConfigMap("c", s.namespace).WithData(map[string]string{"a": "b"}).WithResourceVersion("7"), metav1.ApplyOptions{FieldManager: "one"})
	s.outcome("version of nothing", err)
	return nil
}

func retryOnConflict(ctx context.Context, s *session) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	if _, err := maps.Create(ctx, configMap("counter", map[string]string{"n": ""}), metav1.CreateOptions{}); err != nil {
		return err
	}
	backoff := wait.Backoff{Steps: 200, Duration: 2 * time.Millisecond, Factor: 1, Jitter: 1}
	var group sync.WaitGroup
	failures := make(chan error, 8)
	for range 8 {
		group.Go(func() {
			for range 5 {
				failures <- retry.RetryOnConflict(backoff, func() error {
					current, err := maps.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					current.Data["n"] += "x"
					_, err = maps.Update(ctx, current, metav1.UpdateOptions{})
					return err
				})
			}
		})
	}
	go func() { group.Wait(); close(failures) }()
	for err := range failures {
		if err != nil {
			return err
		}
	}
	counted, err := maps.Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	s.fact("increments", len(counted.Data["n"]))
	return nil
}

func leaderElection(ctx context.Context, s *session) error {
	won := make(chan string, 2)
	lost := make(chan string, 2)
	elect := func(ctx context.Context, identity string) {
		lock := &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "leader", Namespace: s.namespace}, Client: s.typed.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: identity}}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true, LeaseDuration: 6 * time.Second, RenewDeadline: 4 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { won <- identity }, OnStoppedLeading: func() { lost <- identity }},
		})
	}
	first, resign := context.WithCancel(ctx)
	defer resign()
	go elect(first, "a")
	s.fact("leads first", <-won)
	second, stop := context.WithCancel(ctx)
	defer stop()
	go elect(second, "b")
	time.Sleep(time.Second)
	resign()
	s.fact("resigned", <-lost)
	s.fact("leads second", <-won)
	lease, err := s.typed.CoordinationV1().Leases(s.namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	s.fact("lease", fmt.Sprint(*lease.Spec.HolderIdentity, " ", *lease.Spec.LeaseTransitions, " ", *lease.Spec.LeaseDurationSeconds, " ", lease.Spec.RenewTime.Nanosecond()%1000))
	return nil
}

func recordEvents(ctx context.Context, s *session) error {
	about, err := s.typed.CoreV1().ConfigMaps(s.namespace).Create(ctx, configMap("subject", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	about.APIVersion, about.Kind = "v1", "ConfigMap"
	old := record.NewBroadcaster()
	old.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: s.typed.CoreV1().Events("")})
	recorder := old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "interop"})
	recorder.Eventf(about, corev1.EventTypeNormal, "Old", "number %d", 1)
	recorder.Eventf(about, corev1.EventTypeNormal, "Old", "number %d", 1)
	next := events.NewBroadcaster(&events.EventSinkImpl{Interface: s.typed.EventsV1()})
	if err := next.StartRecordingToSinkWithContext(ctx); err != nil {
		return err
	}
	newer := next.NewRecorder(scheme.Scheme, "interop.example/controller")
	newer.Eventf(about, nil, corev1.EventTypeWarning, "New", "Testing", "number %d", 2)
	found := map[string]eventsv1.Event{}
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 15*time.Second, true, func(ctx context.Context) (bool, error) {
		list, err := s.typed.EventsV1().Events(s.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, event := range list.Items {
			found[event.Reason] = event
		}
		return found["Old"].DeprecatedCount == 2 && found["New"].Reason != "", nil
	})
	s.outcome("recorded", err)
	for reason, event := range found {
		s.fact(reason, fmt.Sprint(event.Type, event.Note, event.Regarding.Kind, event.Regarding.Name, event.Action, event.ReportingController, event.DeprecatedSource, event.DeprecatedCount))
	}
	selected, err := s.typed.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=subject,type=Warning"})
	if err != nil {
		return err
	}
	s.fact("selected by field", len(selected.Items))
	searched, err := s.typed.CoreV1().Events(s.namespace).SearchWithContext(ctx, scheme.Scheme, about)
	if err != nil {
		return err
	}
	s.fact("searched", len(searched.Items))
	_, err = s.typed.EventsV1().Events(s.namespace).Create(ctx, &eventsv1.Event{ObjectMeta: metav1.ObjectMeta{Name: "bad"}, Reason: "r"}, metav1.CreateOptions{})
	s.outcome("event without a time", err)
	return nil
}

func (s *session) as(user string, groups ...string) kubernetes.Interface {
	config := *s.config
	config.Impersonate.UserName, config.Impersonate.Groups = user, groups
	return kubernetes.NewForConfigOrDie(&config)
}
