package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// apiErrors records the class of each error, which programs act on, and its message, which people read.
func apiErrors(ctx context.Context, s *session) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	create := metav1.CreateOptions{}
	_, err := maps.Get(ctx, "none", metav1.GetOptions{})
	s.fact("not found is", apierrors.IsNotFound(err))
	s.outcome("not found", err)
	if _, err := maps.Create(ctx, configMap("twice", nil), create); err != nil {
		return err
	}
	_, err = maps.Create(ctx, configMap("twice", nil), create)
	s.fact("already exists is", apierrors.IsAlreadyExists(err))
	s.outcome("already exists", err)
	_, err = maps.Create(ctx, configMap("Not Valid", nil), create)
	s.fact("invalid is", apierrors.IsInvalid(err))
	s.outcome("invalid name", err)
	_, err = maps.Create(ctx, configMap("", nil), create)
	s.outcome("no name", err)
	_, err = maps.Create(ctx, configMap("keys", map[string]string{"a/b": ""}), create)
	s.outcome("bad key", err)
	elsewhere := configMap("elsewhere", nil)
	elsewhere.Namespace = "default"
	_, err = maps.Create(ctx, elsewhere, create)
	s.outcome("other namespace", err)
	_, err = s.typed.CoreV1().ConfigMaps("interop-nowhere").Create(ctx, configMap("a", nil), create)
	s.outcome("no such namespace", err)
	_, err = s.typed.AppsV1().Deployments(s.namespace).Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}, create)
	s.outcome("empty deployment", err)
	_, err = s.typed.CoreV1().Secrets(s.namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "tls"}, Type: corev1.SecretTypeTLS}, create)
	s.outcome("tls secret without keys", err)
	labelled := configMap("labelled", nil)
	labelled.Labels = map[string]string{"a b": "c d"}
	_, err = maps.Create(ctx, labelled, create)
	s.outcome("bad label", err)
	owned := configMap("owned", nil)
	owned.OwnerReferences = []metav1.OwnerReference{{Kind: "ConfigMap", Name: "twice"}}
	_, err = maps.Create(ctx, owned, create)
	s.outcome("bad owner", err)
	_, err = s.dynamic.Resource(schema.GroupVersionResource{Group: "nobody.example", Version: "v1", Resource: "things"}).List(ctx, metav1.ListOptions{})
	s.outcome("no such kind", err)
	_, err = maps.Update(ctx, configMap("none", nil), metav1.UpdateOptions{})
	s.outcome("update of nothing", err)
	s.outcome("delete of nothing", maps.Delete(ctx, "none", metav1.DeleteOptions{}))
	forbidden := s.as("interop-nobody")
	_, err = forbidden.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{})
	s.fact("forbidden is", apierrors.IsForbidden(err))
	s.outcome("forbidden", err)
	_, err = forbidden.CoreV1().Nodes().Get(ctx, "n", metav1.GetOptions{})
	s.outcome("forbidden without a namespace", err)
	err = s.typed.CoreV1().RESTClient().Put().AbsPath("/api/v1/namespaces").Body([]byte("{}")).Do(ctx).Error()
	s.fact("wrong method", fmt.Sprint(apierrors.ReasonForError(err)))
	return nil
}
