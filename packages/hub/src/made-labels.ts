import { clusterRoleBindings, clusterRoles, namespaces, roleBindings, roles, serviceAccounts } from '@outrigger/api';
import type { AnyAction, AnyController } from '@outrigger/kube';

const LABELLED: readonly string[] = [namespaces, clusterRoles, clusterRoleBindings, roles, roleBindings, serviceAccounts].map(
  ({ plural }) => plural,
);

/**
 * Wraps a controller so that new namespaces, accounts, roles and bindings get these labels. Labels that the controller sets itself take
 * precedence.
 */
export function labelMade(controller: AnyController, labels: Readonly<Record<string, string>>): AnyController {
  if (Object.keys(labels).length === 0) return controller;
  const labelled = (action: AnyAction): AnyAction => {
    if (action.type !== 'create' || !LABELLED.includes(action.kind.plural)) return action;
    const { metadata } = action.object;
    return { ...action, object: { ...action.object, metadata: { ...metadata, labels: { ...labels, ...metadata.labels } } } };
  };
  return {
    ...controller,
    decide(state, now) {
      const decision = controller.decide(state, now);
      return { ...decision, stages: decision.stages.map((stage) => stage.map(labelled)) };
    },
  };
}
