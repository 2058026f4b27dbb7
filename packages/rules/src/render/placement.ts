import type { Json, JsonObject } from '@outrigger/core';
import { changeContainers, type PodChange, type Workload } from '../manifests/workloads.js';

export interface NodePlacement {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
}

/** Replaces the author's nodeSelector and tolerations independently; one that is not set leaves the author's value. */
export function placeOnNodes(placement: NodePlacement | undefined): PodChange {
  return (podSpec) => ({
    ...podSpec,
    ...(placement?.nodeSelector ? { nodeSelector: placement.nodeSelector } : {}),
    ...(placement?.tolerations ? { tolerations: placement.tolerations } : {}),
  });
}

export interface ContainerResources {
  /** `<plural>:<workload>:<container>`, each part literal or `*`. */
  readonly containerID: string;
  readonly resources: JsonObject;
}

/** The last entry that matches a container replaces its resources entirely. */
export function requireResources(requirements: readonly ContainerResources[]): PodChange {
  if (requirements.length === 0) return (podSpec) => podSpec;
  return (podSpec, workload) =>
    changeContainers(podSpec, (container) => {
      const match = requirements.findLast(({ containerID }) => matches(containerID, workload, String(container['name'] ?? '')));
      return match ? { ...container, resources: match.resources } : container;
    });
}

function matches(containerID: string, workload: Workload, container: string): boolean {
  const [plural, name, ...rest] = containerID.split(':');
  const part = (pattern: string | undefined, value: string): boolean => pattern === '*' || pattern === value;
  return part(plural, workload.plural) && part(name, workload.name) && part(rest.join(':'), container);
}
