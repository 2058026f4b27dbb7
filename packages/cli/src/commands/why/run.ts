import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { nameOf } from '../../fleet/objects.js';
import { clusterSnapshot } from '../../fleet/snapshot.js';
import { checkAddOn } from '../../fleet/versions.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import type { Style } from '../../terminal/terminal.js';
import { causeOf, type Chain, type Link } from '@outrigger/rules/explanation';
import { explain } from '@outrigger/rules/why';
import type { CommandContext } from '../context.js';
import type { WhyOptions } from './command.js';

export async function why(context: CommandContext, request: ConnectionOptions & WhyOptions & { readonly addOn: string }): Promise<void> {
  const chain = await withHub(context, request, async (hub) => {
    await requireClusters(hub, [request.cluster]);
    const snapshot = await clusterSnapshot(hub, request.cluster);
    // An add-on that is installed but not declared still has a chain. One that is neither is a typo.
    if (!snapshot.installed.some((addOn) => nameOf(addOn) === request.addOn)) await checkAddOn(hub, request.addOn);
    return explain(snapshot, request.addOn, request.cluster);
  });
  const { terminal } = context;
  terminal.out(
    request.output === 'json' || request.output === 'yaml'
      ? formatValue({ ...chain, cause: causeOf(chain) }, request.output)
      : chainText(chain, terminal.style),
  );
}

const MARKS: Readonly<Record<Link['type'], { readonly mark: string; readonly as: keyof Style }>> = {
  ok: { mark: '✓', as: 'good' },
  wait: { mark: '…', as: 'warn' },
  stop: { mark: '✗', as: 'bad' },
  note: { mark: '·', as: 'dim' },
};

/** The verdict, the chain, and the commands to run next. */
export function chainText(chain: Chain, style: Style): string {
  const cause = causeOf(chain);
  const as = chain.verdict === 'available' ? 'good' : chain.verdict === 'waiting' || chain.verdict === 'removing' ? 'warn' : 'bad';
  const head = `${style.bold(clean(chain.addOn))} on ${style.bold(clean(chain.cluster))}: ${style[as](chain.verdict)}`;
  const links = chain.links.map(({ type, text }) => `  ${style[MARKS[type].as](MARKS[type].mark)} ${clean(text)}`);
  const next = cause?.hint === undefined ? [] : ['', `  next: ${clean(cause.hint)}`];
  return `${[head, ...links, ...next].join('\n')}\n`;
}
