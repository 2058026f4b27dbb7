package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/ptr"

	"k8s.io/apimachinery/pkg/runtime"
)

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func typed(ctx context.Context, s *session) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	made, err := maps.Create(ctx, configMap("one", map[string]string{"a": "1"}), metav1.CreateOptions{})
	s.object("create", made, err)
	if err != nil {
		return err
	}
	made.Data["b"] = "2"
	made.BinaryData = map[string][]byte{"raw": {0, 1, 255}}
	updated, err := maps.Update(ctx, made, metav1.UpdateOptions{FieldManager: "interop"})
	s.object("update", updated, err)
	_, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	s.outcome("update of a stale copy", err)
	dry, err := maps.Create(ctx, configMap("dry", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	s.object("dry run", dry, err)
	_, err = maps.Get(ctx, "dry", metav1.GetOptions{})
	s.outcome("get after a dry run", err)
	err = maps.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("someone-else"))}})
	s.fact("delete of another uid refused", err != nil)
	s.outcome("delete", maps.Delete(ctx, "one", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}))

	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "s-"}, StringData: map[string]string{"k": "v"}}
	stored, err := s.typed.CoreV1().Secrets(s.namespace).Create(ctx, secret, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.fact("generated name", fmt.Sprint(stored.Name[:2], len(stored.Name), " ", string(stored.Data["k"]), " ", stored.Type))
	for _, name := range []string{"x", "y"} {
		labelled := configMap(name, nil)
		labelled.Labels = map[string]string{"group": "g"}
		if _, err := maps.Create(ctx, labelled, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	s.outcome("delete collection", maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "group in (g),other!=z"}))
	left, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "group"})
	if err != nil {
		return err
	}
	s.fact("left", len(left.Items))
	version, err := s.typed.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	s.fact("minor version", version.Major+"."+version.Minor)
	body, err := s.typed.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	s.fact("readyz", fmt.Sprint(string(body), err))
	return nil
}

var podTemplate = corev1.PodTemplateSpec{
	ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a"}},
	Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "c", Image: "nginx",
		Ports:         []corev1.ContainerPort{{ContainerPort: 80}},
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)}}},
	}}, Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}}}},
}

// defaults records the fields that the server fills in, for kinds that add-ons use.
func defaults(ctx context.Context, s *session) error {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
	name := metav1.ObjectMeta{Name: "a"}
	create := metav1.CreateOptions{}
	job := podTemplate.DeepCopy()
	job.Labels = nil
	job.Spec.RestartPolicy = corev1.RestartPolicyNever

	deployment, err := s.typed.AppsV1().Deployments(s.namespace).Create(ctx, &appsv1.Deployment{ObjectMeta: name, Spec: appsv1.DeploymentSpec{Selector: selector, Template: podTemplate}}, create)
	s.object("deployment", deployment, err)
	daemons, err := s.typed.AppsV1().DaemonSets(s.namespace).Create(ctx, &appsv1.DaemonSet{ObjectMeta: name, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: podTemplate}}, create)
	s.object("daemonset", daemons, err)
	stateful, err := s.typed.AppsV1().StatefulSets(s.namespace).Create(ctx, &appsv1.StatefulSet{ObjectMeta: name, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: podTemplate}}, create)
	s.object("statefulset", stateful, err)
	cron, err := s.typed.BatchV1().CronJobs(s.namespace).Create(ctx, &batchv1.CronJob{ObjectMeta: name, Spec: batchv1.CronJobSpec{Schedule: "* * * * *", Suspend: ptr.To(true), JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: *job}}}}, create)
	s.object("cronjob", cron, err)
	budget, err := s.typed.PolicyV1().PodDisruptionBudgets(s.namespace).Create(ctx, &policyv1.PodDisruptionBudget{ObjectMeta: name, Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector, MinAvailable: ptr.To(intstr.FromString("50%"))}}, create)
	s.object("budget", budget, err)
	network, err := s.typed.NetworkingV1().NetworkPolicies(s.namespace).Create(ctx, &networkingv1.NetworkPolicy{ObjectMeta: name, Spec: networkingv1.NetworkPolicySpec{PodSelector: *selector}}, create)
	s.object("networkpolicy", network, err)
	binding, err := s.typed.RbacV1().RoleBindings(s.namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: name, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "view"}, Subjects: []rbacv1.Subject{{Kind: "User", Name: "u"}}}, create)
	s.object("rolebinding", binding, err)
	account, err := s.typed.CoreV1().ServiceAccounts(s.namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: name}, create)
	s.object("serviceaccount", account, err)
	scale, err := s.typed.AppsV1().Deployments(s.namespace).GetScale(ctx, "a", metav1.GetOptions{})
	s.object("scale", scale, err)
	if err == nil {
		scale.Spec.Replicas = 3
		scaled, err := s.typed.AppsV1().Deployments(s.namespace).UpdateScale(ctx, "a", scale, metav1.UpdateOptions{})
		s.object("scaled", scaled, err)
	}
	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}}}
	deployment.ResourceVersion = ""
	reported, err := s.typed.AppsV1().Deployments(s.namespace).UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
	s.object("status", reported, err)
	return nil
}

func patches(ctx context.Context, s *session) error {
	deployments := s.typed.AppsV1().Deployments(s.namespace)
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
	if _, err := deployments.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: appsv1.DeploymentSpec{Selector: selector, Template: podTemplate}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, patch := range []struct {
		name string
		kind types.PatchType
		body string
	}{
		{"strategic", types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"E","value":"1"}]},{"name":"d","image":"d"}]}}}}`},
		{"strategic delete", types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}`},
		{"merge", types.MergePatchType, `{"metadata":{"annotations":{"x":"y"}},"spec":{"paused":true}}`},
		{"json", types.JSONPatchType, `[{"op":"test","path":"/spec/paused","value":true},{"op":"remove","path":"/spec/paused"}]`},
		{"json test fails", types.JSONPatchType, `[{"op":"test","path":"/spec/replicas","value":7}]`},
		{"not json", types.MergePatchType, `{`},
		{"immutable", types.MergePatchType, `{"spec":{"selector":{"matchLabels":{"app":"b"}}}}`},
		{"stale", types.MergePatchType, `{"metadata":{"resourceVersion":"1"},"spec":{"paused":true}}`},
		{"of the uid", types.MergePatchType, `{"metadata":{"uid":"other"}}`},
	} {
		patched, err := deployments.Patch(ctx, "a", patch.kind, []byte(patch.body), metav1.PatchOptions{})
		if err == nil {
			patched.ManagedFields = nil
		}
		s.object(patch.name, patched, err)
	}
	status, err := deployments.Patch(ctx, "a", types.MergePatchType, []byte(`{"status":{"replicas":2},"spec":{"replicas":9}}`), metav1.PatchOptions{}, "status")
	s.object("status", status, err)
	return nil
}

func pages(ctx context.Context, s *session) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	for i := range 7 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("p%d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	first, err := maps.List(ctx, metav1.ListOptions{Limit: 3})
	if err != nil {
		return err
	}
	s.fact("first page", fmt.Sprint(len(first.Items), first.Continue != "", *first.RemainingItemCount))
	second, err := maps.List(ctx, metav1.ListOptions{Limit: 3, Continue: first.Continue})
	if err != nil {
		return err
	}
	s.fact("second page", fmt.Sprint(len(second.Items), second.ResourceVersion == first.ResourceVersion))
	_, err = maps.List(ctx, metav1.ListOptions{Limit: 3, Continue: "nonsense"})
	s.outcome("bad token", err)
	_, err = maps.List(ctx, metav1.ListOptions{Limit: 3, Continue: first.Continue, ResourceVersion: "1"})
	s.outcome("token and version", err)
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	}
	count := 0
	err = (&pager.ListPager{PageSize: 2, PageFn: list}).EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		count++
		return nil
	})
	s.fact("pager", fmt.Sprint(count, err))
	for _, options := range []metav1.ListOptions{
		{ResourceVersion: "0"},
		{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{FieldSelector: "metadata.name=p3"},
		{FieldSelector: "data.x=p3"},
		{LabelSelector: "a b"},
	} {
		given := fmt.Sprintf("list match=%q version given=%v field=%q label=%q", options.ResourceVersionMatch, options.ResourceVersion != "", options.FieldSelector, options.LabelSelector)
		found, err := maps.List(ctx, options)
		if err != nil {
			s.fact(given, err)
			continue
		}
		s.fact(given, len(found.Items))
	}
	return nil
}
