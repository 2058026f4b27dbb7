import { countText, shell } from '@outrigger/core';
import { join, resolve } from 'node:path';
import { addOnRollouts, clusterManagementAddOns, managedClusterAddOns } from '@outrigger/api';
import type { Source } from '../../fleet/source.js';
import type { LocalFleet } from '../../local/fleet.js';
import { type ClusterProgress, progressColumns, progressOf, progressSummary } from '../../local/progress.js';
import { addOnColumns, addOnRows } from '../../views/add-ons.js';
import { liveBlock } from '../../terminal/live.js';
import { table } from '../../terminal/table.js';
import { type Terminal, tableWidth } from '../../terminal/terminal.js';

/** With more clusters than this, the screen shows a summary instead of one row per cluster. */
const MAX_ROWS = 12;

export interface StartScreen {
  step(what: string): void;
  /** Shows the URL of the console while the add-ons are being installed. */
  console(address: string): void;
  progress(addOns: readonly string[], progress: readonly ClusterProgress[]): void;
  end(): void;
  /** Shows the state of the fleet below the final screen, and replaces it on each call until `end`. */
  standing(text: string): void;
}

/** Shows the progress of the start: a table that is rewritten in place on a terminal, and otherwise one line per change. */
export function startScreen(terminal: Terminal, start: { clusters: number; isFirst: boolean; dataDir: string }): StartScreen {
  const { style } = terminal;
  const block = liveBlock(terminal);
  const shown = new Set<string>();
  let head = '';
  let body = '';
  const show = (text: string): void => {
    body = text;
    block.show(`${head}${text}`);
  };
  let lastTenth = -1;
  const say = (text: string): void => {
    if (shown.has(text)) return;
    shown.add(text);
    terminal.note(`${text}\n`);
    process.send?.({ line: text });
  };
  const clusters = countText(start.clusters, 'simulated cluster');
  const from = start.isFirst ? '' : `, going on from ${start.dataDir}`;
  if (terminal.isLive) terminal.out(`\n  ${style.bold('Outrigger')}  a hub and ${clusters}${from}\n\n`);
  else say(`starting a hub and ${clusters}${from}`);
  return {
    step(what) {
      if (terminal.isLive) show(`  ${style.dim(`starting ${what} ...`)}\n`);
      // With many clusters, about ten progress lines are printed instead of one per cluster.
      else if (!/^cluster (\d+) of/.test(what) || isNews(what, start.clusters)) say(`starting ${what}`);
    },
    console(address) {
      head = `  console ${style.bold(address)}\n\n`;
      // Without a terminal, the address is printed once, when all is ready.
      if (terminal.isLive) show(body);
    },
    progress(addOns, progress) {
      if (addOns.length === 0) return show('');
      const summary = progressSummary(addOns, progress);
      if (!terminal.isLive) {
        const tenth = Math.floor(readyShare(progress) * 10);
        if (progress.length <= MAX_ROWS || tenth > lastTenth) say(summary);
        lastTenth = tenth;
        return;
      }
      const rows = progress.length > MAX_ROWS ? '' : indent(table(progressColumns(addOns), progress, { style }));
      show(rows === '' ? `  ${summary}\n` : rows);
    },
    end() {
      // Remove the URL here, because the final screen shows the URL again.
      if (head !== '') block.show(body);
      head = '';
      block.end();
    },
    standing: (text) => block.show(text),
  };
}

function readyShare(progress: readonly ClusterProgress[]): number {
  const states = progress.flatMap((one) => [...one.states.values()]);
  return states.length === 0 ? 1 : states.filter(({ isReady }) => isReady).length / states.length;
}

function isNews(what: string, total: number): boolean {
  const number = Number(/^cluster (\d+)/.exec(what)?.[1] ?? 0);
  return total <= MAX_ROWS || number === total || number % Math.ceil(total / 10) === 0;
}

export interface FinalScreen {
  readonly fleet: LocalFleet;
  /** The one-time URL of the console. */
  readonly consoleAddress: string;
  readonly dataDir: string;
  /** The state of the fleet; empty if the screen shows the state below the final screen. */
  readonly standing: string;
}

/** Whether the screen follows the fleet after the start. For larger fleets, the console and `get --watch` show changes. */
export function isFollowed({ isLive }: Terminal, { clusterNames }: LocalFleet): boolean {
  return isLive && clusterNames.length <= MAX_ROWS;
}

/** Returns the table of the add-ons. For a fleet that the screen follows, the table of the clusters precedes it. */
export async function standing(terminal: Terminal, { fleet, source, nowMs }: Standing): Promise<string> {
  const { style } = terminal;
  const [declared, installed, rollouts] = await Promise.all([
    source.list(clusterManagementAddOns),
    source.list(managedClusterAddOns),
    source.list(addOnRollouts),
  ]);
  const rows = addOnRows({ declared, installed, rollouts, clusters: [] });
  if (rows.length === 0) return '';
  const width = tableWidth(terminal) && terminal.columns - INDENT;
  const addOns = table(addOnColumns(nowMs), rows, { style, ...(width === undefined ? {} : { width }) });
  if (!isFollowed(terminal, fleet)) return indent(addOns);
  const names = rows.map(({ name }) => name);
  const clusters = table(progressColumns(names), progressOf(fleet.clusterNames, names, installed), {
    style,
    ...(width === undefined ? {} : { width }),
  });
  return `${indent(clusters)}\n${indent(addOns)}`;
}

export interface Standing {
  readonly fleet: LocalFleet;
  readonly source: Source;
  readonly nowMs: number;
}

/** Returns the final screen, with the running components and commands to try. */
export function finalScreen(terminal: Terminal, { fleet, consoleAddress, dataDir, standing: state }: FinalScreen): string {
  const { style } = terminal;
  // If npm ran the command, the command is not on the PATH. This variable then contains the folder of the clone.
  const clone = process.env['npm_config_local_prefix'];
  const path = clone === undefined ? '' : ` PATH=${join(clone, 'node_modules/.bin')}:$PATH`;
  const tries = [
    ['outrigger get addons hello', 'an add-on, cluster by cluster'],
    ['outrigger why metrics --cluster cluster1', 'one reason, from the top'],
    ['outrigger upgrade hello --to v2', 'then `rollout status hello -w`'],
    ['outrigger rollback hello', 'the way back'],
  ] as const;
  const width = Math.max(...tries.map(([line]) => line.length));
  const lines = [
    `  ${style.good('●')} ${style.bold('ready')}   hub ${fleet.url}   ${countText(fleet.clusterNames.length, 'cluster')}`,
    `            console ${style.bold(consoleAddress)}`,
    ...(fleet.metricsUrl === '' ? [] : [`            metrics ${fleet.metricsUrl}`]),
    '',
    ...(state === '' ? [] : [state.trimEnd(), '']),
    `  ${style.bold('In another terminal')}`,
    `    export KUBECONFIG=${resolve(dataDir, 'kubeconfig')}${path}`,
    '',
    `  ${style.bold('Try')}`,
    ...tries.map(([line, what]) => `    ${line.padEnd(width)}   ${style.dim(what)}`),
    '',
    `  ${style.dim(process.send ? shell`outrigger down --data-dir ${dataDir} stops it` : 'Ctrl-C stops it; the next start goes on from here')}`,
    '',
  ];
  return `\n${lines.join('\n')}`;
}

const INDENT = 2;

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
