// Command klusterlet joins a hub and sends the requests that Open Cluster Management's registration and work agents send, in the same order
// and with the permissions that they expect: certificate requests through an informer, merge patches of status that contain uid and
// resourceVersion, a PUT of the lease, and the add-on API in the requested version. It is a stand-in, not a copy, so it cannot show
// behaviour that only upstream's own programs have.
//
// Usage: klusterlet -cluster NAME -bootstrap KUBECONFIG -spoke KUBECONFIG [-addon-version v1alpha1|v1beta1]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const group = "open-cluster-management.io"

// again is the resync interval. Upstream's interval of minutes is too long for a test.
const again = 2 * time.Second

var (
	managedClusters = schema.GroupVersionResource{Group: "cluster." + group, Version: "v1", Resource: "managedclusters"}
	manifestWorks   = schema.GroupVersionResource{Group: "work." + group, Version: "v1", Resource: "manifestworks"}
)

type agent struct {
	cluster, name string
	bootstrap     *rest.Config
	hub           *rest.Config
	spoke         kubernetes.Interface
	spokeObjects  dynamic.Interface
	hubClient     kubernetes.Interface
	hubObjects    dynamic.Interface
	addOns        schema.GroupVersionResource
	mapper        *kinds
}

func main() {
	a := &agent{name: "interop"}
	var bootstrap, spoke, version string
	flag.StringVar(&a.cluster, "cluster", "", "what the hub calls the cluster")
	flag.StringVar(&bootstrap, "bootstrap", "", "kubeconfig to join with")
	flag.StringVar(&spoke, "spoke", "", "kubeconfig of the managed cluster")
	flag.StringVar(&version, "addon-version", "v1alpha1", "version of the add-on API to speak")
	flag.Parse()
	a.addOns = schema.GroupVersionResource{Group: "addon." + group, Version: version, Resource: "managedclusteraddons"}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := a.run(ctx, bootstrap, spoke); err != nil {
		say("failed", err.Error())
		os.Exit(1)
	}
}

func (a *agent) run(ctx context.Context, bootstrapFile, spokeFile string) error {
	var err error
	if a.bootstrap, err = clientcmd.BuildConfigFromFlags("", bootstrapFile); err != nil {
		return err
	}
	spoke, err := clientcmd.BuildConfigFromFlags("", spokeFile)
	if err != nil {
		return err
	}
	a.spoke, a.spokeObjects = kubernetes.NewForConfigOrDie(spoke), dynamic.NewForConfigOrDie(spoke)
	a.mapper = newKinds(spoke)
	if err := a.announce(ctx); err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	certificate, key, err := a.requestCertificate(ctx, kubernetes.NewForConfigOrDie(a.bootstrap), clusterRequest(a.cluster, a.name))
	if err != nil {
		return fmt.Errorf("cluster certificate: %w", err)
	}
	say("joined", "certificate issued")
	a.hub = rest.AnonymousClientConfig(a.bootstrap)
	a.hub.CertData, a.hub.KeyData = certificate, key
	a.hubClient, a.hubObjects = kubernetes.NewForConfigOrDie(a.hub), dynamic.NewForConfigOrDie(a.hub)

	one := dynamicinformer.NewFilteredDynamicSharedInformerFactory(a.hubObjects, again, "", func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector("metadata.name", a.cluster).String()
	})
	own := dynamicinformer.NewFilteredDynamicSharedInformerFactory(a.hubObjects, again, a.cluster, nil)
	a.on(ctx, one.ForResource(managedClusters).Informer(), "cluster", a.syncCluster)
	a.on(ctx, own.ForResource(a.addOns).Informer(), "add-on", a.syncAddOn)
	a.on(ctx, own.ForResource(manifestWorks).Informer(), "work", a.syncWork)
	one.Start(ctx.Done())
	own.Start(ctx.Done())
	go a.renewLease(ctx)
	<-ctx.Done()
	return nil
}

// on calls sync for every object that an informer reports. A failed sync is retried at the next resync.
func (a *agent) on(ctx context.Context, informer cache.SharedIndexInformer, what string, sync func(context.Context, *unstructured.Unstructured) error) {
	handle := func(object any) {
		if u, ok := object.(*unstructured.Unstructured); ok {
			if err := sync(ctx, u.DeepCopy()); err != nil {
				say("retry", fmt.Sprintf("%s %s: %v", what, u.GetName(), err))
			}
		}
	}
	informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { say("watch failed", what+": "+err.Error()) })
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    handle,
		UpdateFunc: func(_, after any) { handle(after) },
	})
}

func say(step, detail string) {
	json.NewEncoder(os.Stdout).Encode(map[string]string{"step": step, "detail": detail})
}
