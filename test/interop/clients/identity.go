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

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/certificate/csr"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/utils/ptr"
)

func tokens(ctx context.Context, s *session) error {
	accounts := s.typed.CoreV1().ServiceAccounts(s.namespace)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	issued, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(3600))}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.fact("lives", *issued.Spec.ExpirationSeconds)
	_, err = accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(10))}}, metav1.CreateOptions{})
	s.outcome("short life", err)
	_, err = accounts.CreateToken(ctx, "nobody", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	s.outcome("no such account", err)
	review, err := s.typed.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: issued.Status.Token}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.fact("reviewed", fmt.Sprint(review.Status.Authenticated, review.Status.User.Username, review.Status.User.Groups, review.Status.Error))
	wrong, err := s.typed.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: issued.Status.Token, Audiences: []string{"elsewhere"}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.fact("other audience", wrong.Status.Authenticated)
	config := rest.AnonymousClientConfig(s.config)
	config.BearerToken = issued.Status.Token
	robot := kubernetes.NewForConfigOrDie(config)
	self, err := robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.fact("self", fmt.Sprint(self.Status.UserInfo.Username, self.Status.UserInfo.Groups))
	_, err = robot.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{})
	s.outcome("robot may", err)
	config.BearerToken = "nonsense"
	_, err = kubernetes.NewForConfigOrDie(config).CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{})
	s.fact("unauthorized is", apierrors.IsUnauthorized(err))
	s.outcome("unauthorized", err)
	anonymous := kubernetes.NewForConfigOrDie(rest.AnonymousClientConfig(s.config))
	_, err = anonymous.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{})
	s.outcome("anonymous", err)
	return nil
}

func reviews(ctx context.Context, s *session) error {
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps", "pods/log"}, Verbs: []string{"get", "list"}}}}
	if _, err := s.typed.RbacV1().Roles(s.namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"}, Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "readers"}}}
	if _, err := s.typed.RbacV1().RoleBindings(s.namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, ask := range []authorizationv1.ResourceAttributes{
		{Namespace: s.namespace, Verb: "get", Resource: "configmaps", Name: "x"},
		{Namespace: s.namespace, Verb: "delete", Resource: "configmaps"},
		{Namespace: s.namespace, Verb: "get", Resource: "pods", Subresource: "log"},
		{Namespace: "default", Verb: "get", Resource: "configmaps"},
		{Verb: "list", Resource: "configmaps"},
	} {
		name := fmt.Sprint(ask.Namespace, " ", ask.Verb, " ", ask.Resource, "/", ask.Subresource)
		answered, err := s.typed.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: "u", Groups: []string{"readers"}, ResourceAttributes: &ask}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		s.fact(name, fmt.Sprint(answered.Status.Allowed, " ", answered.Status.Reason))
		self, err := s.as("u", "readers", "system:authenticated").AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &ask}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		s.fact("self "+name, self.Status.Allowed)
	}
	rules, err := s.as("u", "readers").AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: s.namespace}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.object("rules", rules.Status.ResourceRules, nil)
	escalating := role.DeepCopy()
	escalating.Name = "escalating"
	escalating.Rules[0].Verbs = []string{"*"}
	grant := role.DeepCopy()
	grant.Name = "role-writer"
	grant.Rules = []rbacv1.PolicyRule{{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles"}, Verbs: []string{"create"}}}
	if _, err := s.typed.RbacV1().Roles(s.namespace).Create(ctx, grant, metav1.CreateOptions{}); err != nil {
		return err
	}
	writer := binding.DeepCopy()
	writer.Name, writer.RoleRef.Name, writer.ResourceVersion = "writer", "role-writer", ""
	if _, err := s.typed.RbacV1().RoleBindings(s.namespace).Create(ctx, writer, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err = s.as("u", "readers").RbacV1().Roles(s.namespace).Create(ctx, escalating, metav1.CreateOptions{})
	s.outcome("escalation", err)
	return nil
}

func certificates(ctx context.Context, s *session) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "interop-user", Organization: []string{"interop-group"}}}, key)
	if err != nil {
		return err
	}
	request := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	usages := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}
	name, uid, err := csr.RequestCertificate(s.typed, request, "", certificatesv1.KubeAPIServerClientSignerName, ptr.To(time.Hour), usages, key)
	if err != nil {
		return err
	}
	requests := s.typed.CertificatesV1().CertificateSigningRequests()
	made, err := requests.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	s.fact("requested", fmt.Sprint(made.Spec.Groups, *made.Spec.ExpirationSeconds, made.Spec.Usages))
	made.Status.Conditions = append(made.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Interop"})
	approved, err := requests.UpdateApproval(ctx, name, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	s.fact("approved", fmt.Sprint(approved.Status.Conditions[0].Type, approved.Status.Conditions[0].Reason, approved.Status.Conditions[0].LastUpdateTime.IsZero()))
	signed, err := csr.WaitForCertificate(ctx, s.typed, name, uid)
	if err != nil {
		return err
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(s.config)
	config.CertData, config.KeyData = signed, keyPEM
	self, err := kubernetes.NewForConfigOrDie(config).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.fact("signed in as", fmt.Sprint(self.Status.UserInfo.Username, self.Status.UserInfo.Groups))
	denied := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "interop-denied"}, Spec: certificatesv1.CertificateSigningRequestSpec{Request: request, SignerName: "example.com/custom", Usages: usages}}
	custom, err := requests.Create(ctx, denied, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	custom.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateDenied, Status: corev1.ConditionTrue, Reason: "No"}}
	if custom, err = requests.UpdateApproval(ctx, custom.Name, custom, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = csr.WaitForCertificate(ctx, s.typed, custom.Name, custom.UID)
	s.fact("denied", fmt.Sprint(err))
	custom.Status.Conditions = append(custom.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Yes"})
	_, err = requests.UpdateApproval(ctx, custom.Name, custom, metav1.UpdateOptions{})
	s.outcome("approved after denied", err)
	_, err = requests.Create(ctx, &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "interop-bad"}, Spec: certificatesv1.CertificateSigningRequestSpec{Request: []byte("x"), SignerName: "bad"}}, metav1.CreateOptions{})
	s.outcome("bad request", err)
	return nil
}
