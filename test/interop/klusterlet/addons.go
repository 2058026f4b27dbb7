package main

import (
	"context"
	"fmt"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// syncAddOn requests a certificate for each registration and reports whether the add-on's lease exists.
func (a *agent) syncAddOn(ctx context.Context, addOn *unstructured.Unstructured) error {
	if addOn.GetDeletionTimestamp() != nil {
		return nil
	}
	registrations, _, _ := unstructured.NestedSlice(addOn.Object, "status", "registrations")
	for _, entry := range registrations {
		if err := a.register(ctx, addOn, entry.(map[string]any)); err != nil {
			return err
		}
	}
	after := addOn.DeepCopy()
	if len(registrations) > 0 {
		setCondition(after, "ClusterCertificateRotated", "True", "ClientCertificateUpdated", "client certificate rotated")
	}
	mode, _, _ := unstructured.NestedString(addOn.Object, "status", "healthCheck", "mode")
	if mode != "Customized" {
		_, err := a.spoke.CoordinationV1().Leases(namespaceOf(addOn)).Get(ctx, addOn.GetName(), metav1.GetOptions{})
		if err == nil {
			setCondition(after, "Available", "True", "ManagedClusterAddOnLeaseUpdated", addOn.GetName()+" add-on is available.")
		} else if apierrors.IsNotFound(err) {
			setCondition(after, "Available", "Unknown", "ManagedClusterAddOnLeaseNotFound", "The status of "+addOn.GetName()+" add-on is unknown.")
		}
	}
	return a.patchStatus(ctx, a.addOns, addOn, after)
}

// registration is one entry of status.registrations, in either version of the API.
type registration struct {
	signer, user  string
	groups, units []string
}

func (a *agent) registrationOf(addOn string, entry map[string]any) registration {
	signer, subject := certificatesv1.KubeAPIServerClientSignerName, map[string]any{}
	if a.addOns.Version == "v1alpha1" {
		signer, _, _ = unstructured.NestedString(entry, "signerName")
		subject, _, _ = unstructured.NestedMap(entry, "subject")
	} else if custom, found, _ := unstructured.NestedMap(entry, "customSigner"); found {
		signer, _ = custom["signerName"].(string)
		subject, _, _ = unstructured.NestedMap(custom, "subject")
	} else {
		subject, _, _ = unstructured.NestedMap(entry, "kubeClient", "subject")
	}
	base := userName("cluster", a.cluster, "addon", addOn)
	user, _ := subject["user"].(string)
	groups, _, _ := unstructured.NestedStringSlice(subject, "groups")
	units, _, _ := unstructured.NestedStringSlice(subject, "organizationUnits")
	if user == "" {
		user = base + ":agent:" + addOn
	}
	if len(groups) == 0 && signer == certificatesv1.KubeAPIServerClientSignerName {
		groups = []string{base}
	}
	return registration{signer: signer, user: user, groups: groups, units: units}
}

func (a *agent) register(ctx context.Context, addOn *unstructured.Unstructured, entry map[string]any) error {
	name := addOn.GetName()
	wanted := a.registrationOf(name, entry)
	secret := name + "-hub-kubeconfig"
	if wanted.signer != certificatesv1.KubeAPIServerClientSignerName {
		secret = name + "-" + strings.ReplaceAll(wanted.signer, "/", "-") + "-client-cert"
	}
	secrets := a.spoke.CoreV1().Secrets(namespaceOf(addOn))
	if _, err := secrets.Get(ctx, secret, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return err
	}
	if _, err := a.spoke.CoreV1().Namespaces().Get(ctx, namespaceOf(addOn), metav1.GetOptions{}); err != nil {
		return fmt.Errorf("the namespace of the add-on: %w", err)
	}
	certificate, key, err := a.requestCertificate(ctx, a.hubClient, certificateRequest{
		prefix: "addon-" + a.cluster + "-" + name + "-", signer: wanted.signer,
		commonName: wanted.user, organizations: wanted.groups, units: wanted.units,
		names:  []string{name + ".addon." + group},
		labels: map[string]string{group + "/cluster-name": a.cluster, group + "/addon-name": name},
	})
	if err != nil {
		return err
	}
	data := map[string][]byte{"tls.crt": certificate, "tls.key": key, "cluster-name": []byte(a.cluster)}
	if wanted.signer == certificatesv1.KubeAPIServerClientSignerName {
		if data["kubeconfig"], err = a.kubeconfig(); err != nil {
			return err
		}
	}
	_, err = secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secret}, Data: data}, metav1.CreateOptions{})
	say("registered", name+" "+wanted.signer)
	return err
}

func (a *agent) kubeconfig() ([]byte, error) {
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"hub": {Server: a.bootstrap.Host, CertificateAuthorityData: a.bootstrap.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"default-auth": {ClientCertificate: "tls.crt", ClientKey: "tls.key"}},
		Contexts:       map[string]*clientcmdapi.Context{"default-context": {Cluster: "hub", AuthInfo: "default-auth", Namespace: "configuration"}},
		CurrentContext: "default-context",
	})
}

func namespaceOf(addOn *unstructured.Unstructured) string {
	for _, path := range [][]string{{"status", "namespace"}, {"spec", "installNamespace"}} {
		if namespace, _, _ := unstructured.NestedString(addOn.Object, path...); namespace != "" {
			return namespace
		}
	}
	if namespace := addOn.GetAnnotations()["addon."+group+"/v1alpha1-install-namespace"]; namespace != "" {
		return namespace
	}
	return "open-cluster-management-agent-addon"
}
