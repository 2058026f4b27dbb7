import type { ConditionItem, ManifestItem, WorkItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { Glyph } from '../parts/glyph.js';
import { ObjectName } from '../parts/object-link.js';
import { conditionState } from '../parts/states.js';

/** Shows the works of a cluster with the state of each manifest. The cell page also shows the manifests. */
export function Works({ works }: { works: readonly WorkItem[] | undefined }): JSX.Element {
  if (works === undefined) return <p class="dim">You may not read ManifestWorks here.</p>;
  if (works.length === 0) return <p class="dim">The hub gave this cluster no work.</p>;
  return (
    <>
      {works.map((work) => (
        <section key={work.name} aria-label={work.name}>
          <h3>
            <ObjectName object={work.object} text={work.name} /> <Short conditions={work.conditions} />
          </h3>
          <ul class="lines">
            {work.manifests.map((manifest) => (
              <Manifest key={`${manifest.group} ${manifest.kind} ${manifest.namespace} ${manifest.name}`} manifest={manifest} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Manifest({ manifest }: { manifest: ManifestItem }): JSX.Element {
  const name = manifest.namespace === '' ? manifest.name : `${manifest.namespace}/${manifest.name}`;
  const line = (
    <>
      {manifest.kind} <b>{name}</b> {manifest.isLeftOut && <span class="dim small">is too large to show here </span>}
    </>
  );
  return (
    <li>
      <span class="grow">
        {manifest.yaml === '' && manifest.feedback.length === 0 ? (
          <span class="no-details">{line}</span>
        ) : (
          <details>
            <summary>{line}</summary>
            <Feedback values={manifest.feedback} />
            {manifest.yaml !== '' && (
              <pre class="yaml" tabIndex={0} aria-label={`${manifest.kind} ${name}`}>
                {manifest.yaml}
              </pre>
            )}
          </details>
        )}
      </span>
      <span class="since">
        <Short conditions={manifest.conditions} />
      </span>
    </li>
  );
}

/** Shows the feedback values that the cluster's agent reports for the object. */
function Feedback({ values }: { values: ManifestItem['feedback'] }): JSX.Element | null {
  if (values.length === 0) return null;
  return (
    <p class="feedback small">
      {values.map(({ name, value }) => (
        <span key={name}>
          <span class="dim">{name}</span> {String(value)}
        </span>
      ))}
    </p>
  );
}

/** Shows the conditions in short form. The condition about feedback is shown only if it is not True. */
function Short({ conditions }: { conditions: readonly ConditionItem[] }): JSX.Element {
  return (
    <span class="small dim short">
      {conditions
        .filter(({ type, status }) => type !== 'StatusFeedbackSynced' || status !== 'True')
        .sort((a, b) => (a.type < b.type ? -1 : 1))
        .map(({ type, status, reason, message }) => (
          <span key={type} title={message}>
            <Glyph state={conditionState({ type, status, reason })} /> {type}
            {status !== 'True' && ` ${status}`}
          </span>
        ))}
    </span>
  );
}
