import type { WhyChain, WhyLink } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { Command } from '../parts/command.js';
import { Glyph } from '../parts/glyph.js';
import { ObjectName } from '../parts/object-link.js';

/** The chain of `outrigger why` from the declaration to the cause, top to bottom. */
export function WhyDrawing({ chain }: { chain: WhyChain }): JSX.Element {
  return (
    <>
      <p>
        <b>{chain.verdict}</b>
      </p>
      <ol class="chain">
        {chain.links.map((link, index) => (
          <WhyStep key={index} link={link} />
        ))}
      </ol>
    </>
  );
}

function WhyStep({ link: { type, text, hint, object, isCause } }: { link: WhyLink }): JSX.Element {
  return (
    <li class={isCause ? 'cause' : ''}>
      <Glyph state={type} alone />
      <span class="box">
        {text}
        {object !== undefined && (
          <span class="small dim">
            {' '}
            <ObjectName object={object} text={object.resource} />
          </span>
        )}
      </span>
      {hint !== undefined && (/^(outrigger|kubectl) /.test(hint) ? <Command line={hint} /> : <p class="dim small">{hint}</p>)}
    </li>
  );
}
