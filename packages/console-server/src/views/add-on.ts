import { type AddOnDeploymentConfig, addOnTemplates, clusterManagementAddOns } from '@outrigger/api';
import type { AddOnPage, HubRight, VersionItem } from '@outrigger/console-contract';
import { roleRefOf } from '@outrigger/rules/registration';
import type { TemplateSummary } from '../state/projections.js';
import type { FleetState } from '../state/state.js';
import { cellOfAddOn } from './cells.js';
import { conditionItems } from './conditions.js';
import { configurationLayers, valuesOf } from './configuration.js';
import { noCells } from './counts.js';
import { dependencyGraph } from './dependencies.js';
import { fleetAddOn } from './fleet.js';
import { entrySummary } from './lanes.js';
import { linkTo } from './links.js';
import { rolloutOffers } from './offers.js';
import { revisionItems } from './rollout.js';
import type { Sight } from './sight.js';

/** Objects that are read for the page with the user's own token. */
export interface AddOnDetails {
  /** The deployment configs that the add-on names, or the reason why they cannot be read. */
  readonly configs: readonly AddOnDeploymentConfig[] | { readonly problem: string };
}

/** Returns the page, or undefined if there is no declaration that the user may see. */
export function addOnPage(state: FleetState, sight: Sight, name: string, { configs }: AddOnDetails): AddOnPage | undefined {
  const managementAddOn = sight.seesDeclarations ? state.declarations.get(name) : undefined;
  if (managementAddOn === undefined) return undefined;
  const rollout = sight.seesRollouts ? state.rollouts.get(name) : undefined;
  const cells = noCells();
  const versions = new Map<string, number>();
  for (const [cluster, here] of state.addOns) {
    const reported = here.get(name);
    if (reported === undefined || !sight.seesAddOns(cluster)) continue;
    const cell = cellOfAddOn(state, reported, cluster, name);
    cells[cell.state]++;
    versions.set(cell.version, (versions.get(cell.version) ?? 0) + 1);
  }
  const templates = [...state.templates.values()].filter(({ addOn }) => addOn === name);
  const defaultVersion = managementAddOn.status?.defaultVersion ?? '';
  const { displayName, isPaused, pinnedRevision, rollout: rolloutState } = fleetAddOn(state, sight, name);
  return {
    name,
    displayName,
    description: managementAddOn.spec.addOnMeta?.description ?? '',
    object: linkTo(clusterManagementAddOns, name),
    strategy: managementAddOn.spec.installStrategy?.type ?? 'Manual',
    rollout: rolloutState,
    isPaused,
    versions: templates.map((template) => versionItem(template, defaultVersion, versions)),
    defaultVersion,
    entries: (rollout?.status?.entries ?? []).map((entry) => entrySummary(rollout as NonNullable<typeof rollout>, entry, managementAddOn)),
    revisions: rollout === undefined ? [] : revisionItems(state, sight, name, rollout),
    dependencies: dependencyGraph(state, name),
    configuration: configurationLayers({ managementAddOn }),
    ...valuesOf({ managementAddOn }, configs),
    rights: templates.flatMap(rightsOf),
    conditions: conditionItems(managementAddOn.status?.conditions),
    cells,
    actions: rolloutOffers(sight, name, rollout),
    ...(pinnedRevision === undefined ? {} : { pinnedRevision }),
  };
}

function versionItem({ name, version }: TemplateSummary, defaultVersion: string, clusters: ReadonlyMap<string, number>): VersionItem {
  return {
    version,
    template: linkTo(addOnTemplates, name),
    isDefault: version !== '' && version === defaultVersion,
    clusters: clusters.get(version) ?? 0,
  };
}

/** The permissions on the hub that a template grants to the agents of its add-on. */
function rightsOf({ name, registration }: TemplateSummary): readonly HubRight[] {
  return registration.flatMap((one): readonly HubRight[] => {
    if (one.type === 'CustomSigner') return [{ template: name, scope: '', role: '', signer: one.customSigner?.signerName ?? '' }];
    const signer = 'kubernetes.io/kube-apiserver-client';
    const permissions = one.kubeClient?.hubPermissions ?? [];
    if (permissions.length === 0) return [{ template: name, scope: '', role: '', signer }];
    return permissions.map((permission) => ({
      template: name,
      scope: permission.type === 'SingleNamespace' ? (permission.singleNamespace?.namespace ?? '') : 'cluster',
      role: roleRefOf(permission)?.name ?? '',
      signer,
    }));
  });
}
