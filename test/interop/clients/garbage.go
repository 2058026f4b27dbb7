package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
)

// garbage deletes an owner in each of the three ways.
func garbage(ctx context.Context, s *session) error {
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan} {
		if err := s.deleteOwner(ctx, policy); err != nil {
			return fmt.Errorf("%s: %w", policy, err)
		}
	}
	return s.overfill(ctx)
}

func (s *session) deleteOwner(ctx context.Context, policy metav1.DeletionPropagation) error {
	maps := s.typed.CoreV1().ConfigMaps(s.namespace)
	owner, err := maps.Create(ctx, configMap("owner-"+strings.ToLower(string(policy)), nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	child := configMap("child-of-"+owner.Name, nil)
	child.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: ptr.To(true)}}
	if _, err := maps.Create(ctx, child, metav1.CreateOptions{}); err != nil {
		return err
	}
	held := child.DeepCopy()
	held.Name, held.Finalizers = "held-by-"+owner.Name, []string{"interop.example/hold"}
	if _, err := maps.Create(ctx, held, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, owner.Name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		return err
	}
	s.fact(string(policy)+" while a child is held", s.left(ctx, owner.Name, map[metav1.DeletionPropagation][]string{
		metav1.DeletePropagationBackground: {held.Name + " going"},
		metav1.DeletePropagationForeground: {held.Name + " going", owner.Name + " going"},
		metav1.DeletePropagationOrphan:     {child.Name, held.Name},
	}[policy]))
	_, err = maps.Patch(ctx, held.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	s.fact(string(policy)+" at last", s.left(ctx, owner.Name, map[metav1.DeletionPropagation][]string{
		metav1.DeletePropagationOrphan: {child.Name, held.Name},
	}[policy]))
	return nil
}

// left waits until the objects around an owner are as expected, and returns those that exist.
func (s *session) left(ctx context.Context, owner string, expected []string) []string {
	var found []string
	_ = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 15*time.Second, true, func(ctx context.Context) (bool, error) {
		list, err := s.typed.CoreV1().ConfigMaps(s.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		found = []string{}
		for _, item := range list.Items {
			if !strings.HasSuffix(item.Name, owner) {
				continue
			}
			state := ""
			if item.DeletionTimestamp != nil {
				state = " going"
			}
			found = append(found, item.Name+state)
		}
		slices.Sort(found)
		return slices.Equal(found, expected), nil
	})
	return found
}

// overfill sends objects that are too large for any server.
func (s *session) overfill(ctx context.Context) error {
	huge := configMap("huge", map[string]string{"x": strings.Repeat("x", 1<<20)})
	_, err := s.typed.CoreV1().ConfigMaps(s.namespace).Create(ctx, huge, metav1.CreateOptions{})
	s.outcome("too much data", err)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "huge"}, Data: map[string][]byte{"x": make([]byte, 4<<20)}}
	_, err = s.typed.CoreV1().Secrets(s.namespace).Create(ctx, secret, metav1.CreateOptions{})
	s.outcome("too large a request", err)
	return nil
}
