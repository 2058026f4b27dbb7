import type { ContainerResourceRequirements, NodePlacement } from '@outrigger/api';
import { type JsonObject, asJson } from '@outrigger/core';
import { changeContainers, type PodChange, type Workload } from '../manifests/workloads.js';

/** Replaces the add-on author's nodeSelector and tolerations, each only if the deployment config sets it. */
export function placeOnNodes(placement: NodePlacement | undefined): PodChange {
  return (podSpec) => ({
    ...podSpec,
    ...(placement?.nodeSelector ? { nodeSelector: placement.nodeSelector } : {}),
    ...(placement?.tolerations ? { tolerations: asJson(placement.tolerations) } : {}),
  });
}

/** Sets the resources of containers. The last requirement that matches a container replaces all of its resources. */
export function requireResources(requirements: readonly ContainerResourceRequirements[]): PodChange {
  if (requirements.length === 0) return (podSpec) => podSpec;
  return (podSpec, workload) =>
    changeContainers(podSpec, (container) => {
      const match = requirements.findLast(({ containerID }) => matches(containerID, workload, String(container['name'] ?? '')));
      return match ? { ...container, resources: match.resources as JsonObject } : container;
    });
}

function matches(containerID: string, workload: Workload, container: string): boolean {
  const [plural, name, ...rest] = containerID.split(':');
  const part = (pattern: string | undefined, value: string): boolean => pattern === '*' || pattern === value;
  return part(plural, workload.plural) && part(name, workload.name) && part(rest.join(':'), container);
}
