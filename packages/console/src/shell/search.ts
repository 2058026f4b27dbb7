import { shell } from '@outrigger/core';
import type { OfferedAction } from '@outrigger/console-contract';
import { formatPage } from '../address/address.js';
import { RESUME, STOP } from './fleet-actions.js';

export interface Hit {
  readonly text: string;
  readonly note: string;
  /** The target URL; `''` for a command. */
  readonly address: string;
  /** The action, if the hit is a command. The console asks for confirmation before it sends the action. */
  readonly offer?: OfferedAction;
}

/** An add-on for which the search offers commands. */
export interface Steerable {
  readonly name: string;
  readonly isPaused: boolean;
}

function commands(addOns: readonly Steerable[]): readonly Hit[] {
  return [
    { text: 'Stop all rollouts', note: 'command', address: '', offer: STOP },
    { text: 'Resume all rollouts', note: 'command', address: '', offer: RESUME },
    ...addOns.map(({ name, isPaused }): Hit => {
      const action = isPaused ? 'resume' : 'pause';
      const label = isPaused ? 'Resume' : 'Pause';
      const offer = { action: { action, addOn: name }, label, command: shell`outrigger rollout ${action} ${name}` } as const;
      return { text: `${label} ${name}`, note: 'command', address: '', offer };
    }),
  ];
}

const MOST_HITS = 12;

/**
 * Returns pages, add-ons, clusters and commands that match the typed text; prefix matches come first. Includes only commands that the user
 * may send.
 */
export function search(text: string, steerable: readonly Steerable[], clusters: readonly string[], maySteer: boolean): Hit[] {
  const addOns = steerable.map(({ name }) => name);
  const wanted = text.trim().toLowerCase();
  const [first = '', second = ''] = wanted.split(/\s+/);
  const pages: Hit[] = [
    { text: 'Fleet', note: 'page', address: '/' },
    { text: 'Activity', note: 'page', address: '/activity' },
    { text: 'Failed add-ons', note: 'search', address: '/?q=state%3Afailed' },
    { text: 'Not available', note: 'search', address: '/?q=-state%3Aavailable%2Cabsent&sort=worst' },
  ];
  const found: Hit[] = [
    ...pages,
    ...addOns.flatMap((addon): Hit[] => [
      { text: addon, note: 'add-on', address: formatPage({ page: 'addon', addon }) },
      { text: `${addon} rollout`, note: 'rollout', address: formatPage({ page: 'rollout', addon }) },
    ]),
    ...(wanted === '' || !maySteer ? [] : commands(steerable)),
  ].filter((hit) => hit.text.toLowerCase().includes(wanted));
  for (const cluster of clusters) {
    if (found.length > 500) break;
    if (cluster.toLowerCase().includes(wanted))
      found.push({ text: cluster, note: 'cluster', address: formatPage({ page: 'cluster', cluster }) });
  }
  // The search text contains two names, an add-on and a cluster.
  if (second !== '') {
    const addon = addOns.find((name) => name.toLowerCase().startsWith(first));
    const cluster = clusters.find((name) => name.toLowerCase().startsWith(second));
    if (addon !== undefined && cluster !== undefined) {
      found.unshift({ text: `${addon} on ${cluster}`, note: 'why', address: formatPage({ page: 'cell', cluster, addon }) });
    }
  }
  const rank = (hit: Hit) => (hit.text.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_HITS);
}
