import { CLUSTER_SET_LABEL, type ClusterSetSelector } from '@outrigger/api';
import { type LabelSelector, type Selector, compileLabelSelector } from '@outrigger/core';

type Labels = Readonly<Record<string, string>>;

export interface ClusterSet {
  readonly name: string;
  readonly selector: ClusterSetSelector;
}

/** Whether a cluster with these labels belongs to the set. A malformed selector, or a selector of an unknown type, selects no cluster. */
export function isMember({ name, selector }: ClusterSet, labels: Labels): boolean {
  const { selectorType = 'ExclusiveClusterSetLabel', labelSelector } = selector;
  if (selectorType === 'ExclusiveClusterSetLabel') return labels[CLUSTER_SET_LABEL] === name;
  return selectorType === 'LabelSelector' && labelSelector !== undefined && selectorOf(labelSelector)?.matches(labels) === true;
}

const compiled = new WeakMap<LabelSelector, Selector | 'unreadable'>();

/** Compiles each selector object once. Equal selectors in the cache are the same object. */
function selectorOf(selector: LabelSelector): Selector | undefined {
  let known = compiled.get(selector);
  if (known === undefined) {
    known = tryCompile(selector);
    compiled.set(selector, known);
  }
  return known === 'unreadable' ? undefined : known;
}

function tryCompile(selector: LabelSelector): Selector | 'unreadable' {
  try {
    return compileLabelSelector(selector);
  } catch {
    return 'unreadable';
  }
}
