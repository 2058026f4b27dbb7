import type { ConfigurationLayer, ProvenanceValue } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { ObjectName } from '../parts/object-link.js';

/** Shows each value in force and the layer that sets it: default, entry or cluster. */
export function Values({ values, problem }: { values: readonly ProvenanceValue[]; problem?: string | undefined }): JSX.Element | null {
  if (problem !== undefined) return <p class="dim">The values are not shown: {problem}</p>;
  if (values.length === 0) return null;
  return (
    <>
      <h3>Values in force</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Values in force">
        <table class="plain values">
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">Is</th>
              <th scope="col">From</th>
              <th scope="col">Set by</th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ path, value, layer, of, scope, object }) => (
              <tr key={`${path} ${layer} ${of}`}>
                <td>
                  <code>{path}</code>
                </td>
                <td>{value === '' ? <span class="dim">(empty)</span> : <code>{value}</code>}</td>
                <td>
                  <span class={`tag layer-${layer}`}>{layer}</span> <span class="dim">{of || (scope === '' ? '' : `for ${scope}`)}</span>
                </td>
                <td>
                  <ObjectName object={object} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Shows the configs of each layer. Configs that a layer of higher precedence replaces are struck through. */
export function Configuration({ layers }: { layers: readonly ConfigurationLayer[] }): JSX.Element | null {
  if (layers.every(({ configs }) => configs.length === 0)) return <p class="dim">No layer names a configuration.</p>;
  return (
    <ul class="lines">
      {layers.flatMap(({ layer, of, configs }) =>
        configs.map(({ resource, object, isInForce }) => (
          <li key={`${layer} ${of} ${resource} ${object.name}`}>
            <span class={`tag layer-${layer}`}>{layer}</span>
            <span class="grow">
              {isInForce ? (
                <ObjectName object={object} />
              ) : (
                <s>
                  <ObjectName object={object} />
                </s>
              )}
              <span class="dim">
                {' '}
                {resource}
                {of !== '' && ` · ${of}`}
              </span>
            </span>
            <span class="since">{isInForce ? 'in force' : 'replaced by a later layer'}</span>
          </li>
        )),
      )}
    </ul>
  );
}
