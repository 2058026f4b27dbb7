import { type ClusterManagementAddOn, clusterManagementAddOns, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { apiVersionOf, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { notFound } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find, listOf } from '../../fleet/objects.js';
import { ifAllowed, mayList, refusedNote } from '../../fleet/readable.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import { suggestion } from '@outrigger/rules/explanation';
import { type TableColumn, table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import { type TreeNode, dependencyTree, treeLines } from '../../tree/tree.js';
import type { CommandContext } from '../context.js';
import type { TreeOptions } from './command.js';

export async function tree(context: CommandContext, request: ConnectionOptions & TreeOptions & { readonly addOn?: string }): Promise<void> {
  const { terminal } = context;
  const nodes = await withHub(context, request, async (hub, _, namespace) => {
    if (request.cluster !== undefined) await requireClusters(hub, [request.cluster]);
    const cluster = request.cluster ?? (await onlyCluster(hub, namespace));
    if (cluster !== request.cluster)
      terminal.note(
        `your rights do not include the add-ons of all clusters: these are those of ${clean(cluster ?? '')}, the namespace of your context\n`,
      );
    const [declared, installed, managedCluster] = await Promise.all([
      ifAllowed(listOf(hub, clusterManagementAddOns)),
      listOf(hub, managedClusterAddOns, cluster),
      cluster === undefined ? undefined : ifAllowed(find(hub, managedClusters, { name: cluster })),
    ]);
    if (!declared) terminal.note(refusedNote([`the dependencies in ${clusterManagementAddOns.plural}`]));
    const managementAddOns = declared ?? [...new Set(installed.map(nameOf))].map(undeclared);
    const names = managementAddOns.map(nameOf);
    if (request.addOn !== undefined && !names.includes(request.addOn))
      throw notFound(`there is no add-on "${request.addOn}"${suggestion(request.addOn, names)}`);
    return dependencyTree({ managementAddOns, installed, ...(cluster === undefined ? {} : { cluster, managedCluster }) }, request.addOn);
  });
  if (request.output === 'json' || request.output === 'yaml') return terminal.out(formatValue(nodes, request.output));
  terminal.out(table(TREE_COLUMNS, treeLines(nodes), { style: terminal.style, width: tableWidth(terminal) }));
}

/**
 * Returns the namespace of the kubeconfig context if the user may list add-ons in that namespace but not in all namespaces. Otherwise
 * returns undefined.
 */
async function onlyCluster(hub: Client, namespace: string | undefined): Promise<string | undefined> {
  if (namespace === undefined || (await mayList(hub, managedClusterAddOns))) return undefined;
  return (await mayList(hub, managedClusterAddOns, namespace)) ? namespace : undefined;
}

const TREE_COLUMNS: readonly TableColumn<ReturnType<typeof treeLines>[number]>[] = [
  { title: 'ADDON', cell: ({ label }) => label, isShortened: true },
  { title: 'NEEDED', cell: ({ node }) => node.need },
  { title: 'STATE', cell: ({ node }) => ({ text: node.state, as: node.isWell ? 'good' : 'warn' }) },
  { title: '', cell: ({ node }) => seenText(node.seen) },
];

/** Returns a placeholder for an add-on whose declaration the user may not read. */
function undeclared(name: string): ClusterManagementAddOn {
  return { apiVersion: apiVersionOf(clusterManagementAddOns), kind: clusterManagementAddOns.kind, metadata: { name }, spec: {} };
}

function seenText(seen: TreeNode['seen']): string {
  return seen === 'cycle' ? 'closes a cycle' : seen === 'above' ? 'shown above' : ' ';
}
