package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/keyutil"
)

type certificateRequest struct {
	prefix, signer, commonName  string
	organizations, units, names []string
	labels                      map[string]string
}

func clusterRequest(cluster, agent string) certificateRequest {
	return certificateRequest{
		prefix: cluster + "-", signer: certificatesv1.KubeAPIServerClientSignerName,
		commonName:    userName(cluster, agent),
		organizations: []string{userName(cluster), userName("managed-clusters")},
		labels:        map[string]string{group + "/cluster-name": cluster},
	}
}

func userName(parts ...string) string {
	name := "system:open-cluster-management"
	for _, part := range parts {
		name += ":" + part
	}
	return name
}

// requestCertificate follows the request through an informer over all requests that the client may read, as upstream's agents do.
func (a *agent) requestCertificate(ctx context.Context, client kubernetes.Interface, want certificateRequest) (certificate, key []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: want.commonName, Organization: want.organizations, OrganizationalUnit: want.units},
		DNSNames: want.names,
	}, private)
	if err != nil {
		return nil, nil, err
	}
	made, err := client.CertificatesV1().CertificateSigningRequests().Create(ctx, &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: want.prefix, Labels: want.labels},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: want.signer,
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, err
	}
	say("requested", made.Name)
	signed := make(chan []byte, 1)
	look := func(object any) {
		request := object.(*certificatesv1.CertificateSigningRequest)
		if request.Name == made.Name && isApproved(request) && len(request.Status.Certificate) > 0 {
			select {
			case signed <- request.Status.Certificate:
			default:
			}
		}
	}
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	informer := factory.Certificates().V1().CertificateSigningRequests().Informer()
	informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { say("watch failed", "certificate requests: "+err.Error()) })
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, after any) { look(after) }})
	factory.Start(ctx.Done())
	select {
	case certificate = <-signed:
		key, err = keyutil.MarshalPrivateKeyToPEM(private)
		return certificate, key, err
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("%s: no certificate: %w", made.Name, ctx.Err())
	}
}

func isApproved(request *certificatesv1.CertificateSigningRequest) bool {
	for _, condition := range request.Status.Conditions {
		if condition.Type == certificatesv1.CertificateApproved {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
