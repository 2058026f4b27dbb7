import type { ClusterManagementAddOn, ManagedCluster, ManagedClusterAddOn } from '@outrigger/api';
import { findCondition, nameOf } from '@outrigger/core';
import { stateOf } from '@outrigger/rules/why';
import { isInstalledWell } from '../views/add-ons.js';

/** One add-on in the dependency tree. */
export interface TreeNode {
  readonly name: string;
  /** Whether the parent requires the add-on; not set for a root. */
  readonly need?: 'Required' | 'Optional';
  readonly state: string;
  readonly isWell: boolean;
  readonly children: readonly TreeNode[];
  /** Set if the children of the node are omitted, because they were shown before or the add-on closes a cycle. */
  readonly seen?: 'above' | 'cycle';
}

export interface TreeInput {
  readonly managementAddOns: readonly ClusterManagementAddOn[];
  readonly installed: readonly ManagedClusterAddOn[];
  /** If set, the tree shows states on this cluster; otherwise it shows how many clusters have each add-on available. */
  readonly cluster?: string;
  /** The ManagedCluster of this cluster, if the user may read it. */
  readonly managedCluster?: ManagedCluster | undefined;
}

/**
 * Returns the trees of the add-ons that no other add-on depends on, or the tree of one add-on. An add-on that no root reaches, because it
 * is part of a cycle, becomes a root itself.
 */
export function dependencyTree(input: TreeInput, root?: string): readonly TreeNode[] {
  const byName = new Map(input.managementAddOns.map((managementAddOn) => [nameOf(managementAddOn), managementAddOn]));
  const builder = new Builder(input, byName);
  if (root !== undefined) return [builder.node(root, undefined, [])];
  const needed = new Set(input.managementAddOns.flatMap(({ spec }) => (spec.dependencies ?? []).map(({ name }) => name)));
  const names = [...byName.keys()].sort();
  const roots = names.filter((name) => !needed.has(name)).map((name) => builder.node(name, undefined, []));
  const rest = names
    .filter((name) => !builder.isShown(name))
    .flatMap((name) => (builder.isShown(name) ? [] : [builder.node(name, undefined, [])]));
  return [...roots, ...rest];
}

class Builder {
  readonly #input: TreeInput;
  readonly #byName: ReadonlyMap<string, ClusterManagementAddOn>;
  readonly #shown = new Set<string>();

  constructor(input: TreeInput, byName: ReadonlyMap<string, ClusterManagementAddOn>) {
    this.#input = input;
    this.#byName = byName;
  }

  isShown(name: string): boolean {
    return this.#shown.has(name);
  }

  node(name: string, need: TreeNode['need'], path: readonly string[]): TreeNode {
    const { text, isWell } = this.#state(name);
    const base = { name, ...(need === undefined ? {} : { need }), state: text, isWell };
    if (path.includes(name)) return { ...base, children: [], seen: 'cycle' };
    const dependencies = this.#byName.get(name)?.spec.dependencies ?? [];
    if (this.#shown.has(name) && dependencies.length > 0) return { ...base, children: [], seen: 'above' };
    this.#shown.add(name);
    const children = dependencies.map((dependency) => this.node(dependency.name, dependency.type ?? 'Required', [...path, name]));
    return { ...base, children };
  }

  #state(name: string): { readonly text: string; readonly isWell: boolean } {
    const { installed, cluster, managedCluster } = this.#input;
    if (!this.#byName.has(name)) return { text: 'not declared', isWell: false };
    const here = installed.filter(
      (clusterAddOn) => nameOf(clusterAddOn) === name && (cluster === undefined || clusterAddOn.metadata.namespace === cluster),
    );
    if (cluster === undefined) return fleetState(here);
    const [found] = here;
    const state = stateOf(found, managedCluster);
    return { text: state, isWell: found !== undefined && state !== 'unreachable' && state !== 'removing' && isInstalledWell(found) };
  }
}

/** The number of clusters on which the add-on is available, and of those on which it is degraded. */
function fleetState(installed: readonly ManagedClusterAddOn[]): { readonly text: string; readonly isWell: boolean } {
  const count = (type: string): number =>
    installed.filter(({ status }) => findCondition(status?.conditions, type)?.status === 'True').length;
  const degraded = count('Degraded');
  return {
    text: `${count('Available')}/${installed.length} available${degraded > 0 ? `, ${degraded} degraded` : ''}`,
    isWell: installed.length > 0 && installed.every(isInstalledWell),
  };
}

/** Returns one line per node. The label contains the tree lines, and the node provides the other columns. */
export function treeLines(nodes: readonly TreeNode[]): readonly { readonly label: string; readonly node: TreeNode }[] {
  const lines: { label: string; node: TreeNode }[] = [];
  const add = (node: TreeNode, lead: string, rest: string): void => {
    lines.push({ label: `${lead}${node.name}`, node });
    node.children.forEach((child, index) => {
      const isLast = index === node.children.length - 1;
      add(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
    });
  };
  for (const node of nodes) add(node, '', '');
  return lines;
}
