import { ADDON_NAME_LABEL, managedClusterAddOns } from '@outrigger/api';
import { countText, shell, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type CauseGroup, type FleetExplanation, explain, explainFleet } from '@outrigger/rules/why';
import { causeOf, type Chain, headlineOf, isWrong, type Link } from '@outrigger/rules/explanation';
import { CommandError, EXIT } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { ifAllowed, mayList } from '../../fleet/readable.js';
import { clusterSnapshot, fleetSnapshot, worksOf } from '../../fleet/snapshot.js';
import { checkAddOn } from '../../fleet/versions.js';
import { adviceFor } from '../../install/granting-roles.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import { type Style, tableWidth } from '../../terminal/terminal.js';
import { wrapWords } from '../../terminal/wrap-words.js';
import type { CommandContext } from '../context.js';
import type { WhyOptions } from './command.js';

interface Request extends ConnectionOptions, WhyOptions {
  readonly addOn: string;
}

export async function why(context: CommandContext, request: Request): Promise<void> {
  const { terminal } = context;
  const { addOn, output } = request;
  const cluster = request.cluster;
  const found = await withHub(context, request, (hub, _, namespace) =>
    cluster === undefined ? explainAll(hub, request, namespace) : explainOne(hub, addOn, cluster),
  );
  const isChain = 'verdict' in found;
  if (output === 'json' || output === 'yaml')
    terminal.out(formatValue(isChain ? { ...found, cause: causeOf(found), isWrong: isWrong(found) } : found, output));
  else {
    const look = { style: terminal.style, width: tableWidth(terminal) };
    terminal.out(isChain ? chainText(found, look) : fleetText(found, look));
  }
  if (isChain && isWrong(found)) throw new CommandError(`${addOn} on ${found.cluster} is ${headlineOf(found)} and needs a person`, EXIT.no);
  if (!isChain && found.isWrong) throw new CommandError(`${addOn} needs a person: see the causes above`, EXIT.no);
}

async function explainOne(hub: Client, addOn: string, cluster: string): Promise<Chain> {
  await requireClusters(hub, [cluster]);
  const snapshot = await clusterSnapshot(hub, cluster);
  // An add-on that is not declared can still be explained if it is installed or the agent is still removing it. Any other undeclared name
  // is probably misspelt.
  const isThere = (snapshot.works ?? []).some(({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] === addOn);
  if (!isThere && !snapshot.installed.some((one) => nameOf(one) === addOn)) await checkAddOn(hub, addOn);
  return explain(snapshot, addOn, cluster);
}

/**
 * Explains the add-on in the whole fleet. If the user may not read the whole fleet, explains it only on the cluster of the context's
 * namespace.
 */
async function explainAll(hub: Client, { addOn }: Request, namespace: string | undefined): Promise<FleetExplanation | Chain> {
  const snapshot = await ifAllowed(fleetSnapshot(hub));
  if (!snapshot && namespace !== undefined && (await mayList(hub, managedClusterAddOns, namespace)))
    return explainOne(hub, addOn, namespace);
  if (!snapshot) {
    const { group, plural: resource } = managedClusterAddOns;
    throw new CommandError(
      `your rights do not include the add-ons of the fleet: add --cluster with the name of your cluster to \`${shell`outrigger why ${addOn}`}\`, or ${adviceFor({ verb: 'list', group, resource, namespace })}`,
      EXIT.failed,
    );
  }
  if (!snapshot.installed.some((one) => nameOf(one) === addOn)) await checkAddOn(hub, addOn);
  const first = explainFleet(snapshot, addOn);
  if (first.causes.length === 0) return first;
  // Works are large and are needed only to explain causes, so they are read only if there are causes.
  const works = await worksOf(hub, addOn);
  return explainFleet({ ...snapshot, ...(works ? { works } : {}) }, addOn);
}

const MARKS: Readonly<Record<Link['type'], { readonly mark: string; readonly as: keyof Style }>> = {
  ok: { mark: '✓', as: 'good' },
  wait: { mark: '…', as: 'warn' },
  stop: { mark: '✗', as: 'bad' },
  note: { mark: '·', as: 'dim' },
};

interface Look {
  readonly style: Style;
  /** The width of the terminal; undefined if the output is not a terminal. */
  readonly width: number | undefined;
}

/** Formats the explanation for one cluster: the verdict, the chain from the declaration to the cause, and the commands to run next. */
export function chainText(chain: Chain, { style, width }: Look): string {
  const cause = causeOf(chain);
  const as = chain.verdict === 'available' ? 'good' : chain.verdict === 'waiting' || chain.verdict === 'removing' ? 'warn' : 'bad';
  const head = `${style.bold(clean(chain.addOn))} on ${style.bold(clean(chain.cluster))}: ${style[as](headlineOf(chain))}`;
  const links = chain.links.flatMap((link) => linkLines(link, { style, width }));
  const next = cause?.hint === undefined ? [] : ['', `  next: ${clean(cause.hint)}`];
  return `${[head, ...links, ...next].join('\n')}\n`;
}

/** Formats the counts, the problems of the whole add-on, and the causes with examples. */
function fleetText({ addOn, isWrong: isBad, clusters, links, causes }: FleetExplanation, { style, width }: Look): string {
  const counts = Object.entries(clusters).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const state = isBad ? 'bad' : causes.length > 0 ? 'warn' : 'good';
  const summary = total === 0 ? 'on no cluster' : counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ');
  const head = `${style.bold(clean(addOn))} on ${countText(total, 'cluster')}: ${style[state](summary)}`;
  // Each next step follows the problem that it solves, because an add-on can have several problems.
  const lines = links.flatMap((link) => [
    ...linkLines(link, { style, width }),
    ...(link.type === 'stop' && link.hint !== undefined ? [`    next: ${clean(link.hint)}`] : []),
  ]);
  return `${[head, ...lines, ...causes.flatMap((cause) => causeLines(cause, addOn, { style, width }))].join('\n')}\n`;
}

/**
 * Formats one link of an explanation: its mark, and its text wrapped beside the mark. Commands are on separate lines, which are never
 * wrapped.
 */
function linkLines({ type, text }: Link, { style, width = Infinity }: Look): readonly string[] {
  const [first = '', ...more] = wrapWords(clean(text), width - 4);
  return [`  ${style[MARKS[type].as](MARKS[type].mark)} ${first}`, ...more.map((line) => `    ${line}`)];
}

function causeLines(
  { type, text, hint, count, examples }: CauseGroup,
  addOn: string,
  { style, width = Infinity }: Look,
): readonly string[] {
  const more = count > examples.length ? `, and ${count - examples.length} more` : '';
  const [first = ''] = examples;
  const mark = `${count} ×`;
  const [start = '', ...rest] = wrapWords(clean(text), width - mark.length - 3);
  return [
    '',
    `  ${style[MARKS[type].as](mark)} ${start}`,
    ...rest.map((line) => `${' '.repeat(mark.length + 3)}${line}`),
    `      on ${examples.map(clean).join(', ')}${more}: ${clean(shell`outrigger why ${addOn} --cluster ${first}`)}`,
    ...(hint === undefined ? [] : [`      next: ${clean(hint)}`]),
  ];
}
