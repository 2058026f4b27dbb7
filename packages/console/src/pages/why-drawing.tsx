import type { WhyChain, WhyLink } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { Command } from '../parts/command.js';
import { Glyph } from '../parts/glyph.js';
import { ObjectName } from '../parts/object-link.js';
import { Prose } from '../parts/prose.js';

/** Draws the chain of `outrigger why` from top to bottom, from the declaration to the cause. */
export function WhyDrawing({ chain }: { chain: WhyChain }): JSX.Element {
  return (
    <>
      <p class="verdict">
        Verdict: <b>{chain.headline}</b>
      </p>
      <ol class="chain">
        {chain.links.map((link, index) => (
          <WhyStep key={index} link={link} />
        ))}
      </ol>
    </>
  );
}

/** The word that users use for each kind of object. */
const KINDS: Readonly<Record<string, string>> = {
  clustermanagementaddons: 'declaration',
  managedclusteraddons: 'add-on on this cluster',
  managedclusters: 'cluster',
  addonrollouts: 'rollout',
};

function WhyStep({ link: { type, text, hint, object, isCause } }: { link: WhyLink }): JSX.Element {
  return (
    <li class={`link-${type} ${isCause ? 'cause' : ''}`}>
      <span class="knot">
        <Glyph state={type} alone />
      </span>
      <div class="card">
        <span class="box">
          <Prose text={text} />
        </span>
        {object !== undefined && (
          <span class="small card-object">
            <ObjectName object={object} text={KINDS[object.resource] ?? object.resource} />
          </span>
        )}
        {hint !== undefined && (/^(outrigger|kubectl) /.test(hint) ? <Command line={hint} /> : <p class="dim small">{hint}</p>)}
      </div>
    </li>
  );
}
