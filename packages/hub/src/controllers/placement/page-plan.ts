import { deepEqual } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import type { DecisionPageProjection } from '../../resources/decision-pages.js';
import { type Page, type Rewrite, rewriteRounds } from '@outrigger/rules/scheduling';
import { adoptPage, createPage, deletePage, writeClusters } from './actions.js';
import type { PlacementState } from './state.js';

export interface PagePlan {
  readonly stages: readonly (readonly ApiAction[])[];
  /** Whether the PlacementDecisions name exactly the selected clusters. */
  readonly isSettled: boolean;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * Plans the writes that bring the PlacementDecisions (pages) to the wanted state. First creates missing pages, then writes clusters and
 * deletes surplus pages, in an order that never omits a cluster that stays selected. Corrects the labels of a page once its clusters are
 * correct.
 */
export function planPages(state: PlacementState, wanted: readonly Page[]): PagePlan {
  const existing = new Map(state.pages.map((page) => [page.key.name, page]));
  for (const { name } of wanted) {
    const page = state.page(name);
    if (page) existing.set(name, page);
  }
  const missing = wanted.filter(({ name }) => !existing.has(name));
  const byName = new Map(wanted.map((page) => [page.name, page]));
  // A PlacementDecision that is being deleted still names its clusters. Until the deletion completes, it can be neither written nor created
  // again.
  const writable = [...existing.values()].filter(({ isDeleting }) => !isDeleting);
  const rounds = rewriteRounds(
    writable.map((page) => rewriteOf(page, byName.get(page.key.name))),
    wanted,
    [...missing, ...wanted.filter(({ name }) => existing.get(name)?.isDeleting)],
  );
  const rewritten = new Set(rounds.flat().map(({ name }) => name));
  const stale = writable.filter((page) => !rewritten.has(page.key.name) && isMislabelled(state, page, byName.get(page.key.name)));
  const stages = [
    [...missing.map((page) => createPage(state.placement, page)), ...stale.map((page) => adopt(state, page, byName))],
    ...rounds.map((round) => round.map((rewrite) => rewriteAction(rewrite, existing))),
  ].filter((stage) => stage.length > 0);
  return {
    stages,
    isSettled: stages.length === 0 && wanted.every(({ name, clusters }) => deepEqual(existing.get(name)?.clusters, clusters)),
    created: missing.map(({ name }) => name),
    updated: rounds.flat().flatMap(({ name, to }) => (to ? [name] : [])),
    deleted: rounds.flat().flatMap(({ name, to }) => (to ? [] : [name])),
  };
}

function rewriteOf({ key, clusters }: DecisionPageProjection, page: Page | undefined): Rewrite {
  return { name: key.name, from: clusters, to: page?.clusters };
}

function rewriteAction({ name, to }: Rewrite, existing: ReadonlyMap<string, DecisionPageProjection>): ApiAction {
  const page = existing.get(name) as DecisionPageProjection;
  return to ? writeClusters(page, to) : deletePage(page);
}

function isMislabelled({ placement }: PlacementState, { labels, ownerUid }: DecisionPageProjection, page: Page | undefined): boolean {
  return page !== undefined && (ownerUid !== placement.uid || !deepEqual(labels, page.labels));
}

function adopt({ placement }: PlacementState, page: DecisionPageProjection, wanted: ReadonlyMap<string, Page>): ApiAction {
  return adoptPage(placement, page, wanted.get(page.key.name) as Page);
}
