import type { ConfigurationLayer, ProvenanceValue } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { ObjectName } from '../parts/object-link.js';

const layerText = (layer: string, of: string): string => (of === '' ? layer : `${layer} ${of}`);

/** Each value in force, with the layer that sets it: default < entry < cluster. */
export function Values({ values }: { values: readonly ProvenanceValue[] }): JSX.Element | null {
  if (values.length === 0) return null;
  return (
    <>
      <h2>Values in force</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Values in force">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">Is</th>
              <th scope="col">From</th>
              <th scope="col">Set by</th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ path, value, layer, of, object }) => (
              <tr key={path}>
                <td>
                  <code>{path}</code>
                </td>
                <td>
                  <code>{value}</code>
                </td>
                <td>{layerText(layer, of)}</td>
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

/** The configs of each layer; those that a later layer replaces are struck through. */
export function Configuration({ layers }: { layers: readonly ConfigurationLayer[] }): JSX.Element | null {
  if (layers.every(({ configs }) => configs.length === 0)) return null;
  return (
    <>
      <h2>Configuration by layer</h2>
      <ul class="lines">
        {layers.flatMap(({ layer, of, configs }) =>
          configs.map(({ resource, object, isInForce }) => (
            <li key={`${layer} ${of} ${resource} ${object.name}`}>
              <span class="dim nowrap">{layerText(layer, of)}</span>
              <span class="grow">
                {isInForce ? (
                  <ObjectName object={object} />
                ) : (
                  <s>
                    <ObjectName object={object} />
                  </s>
                )}
                <span class="dim"> {resource}</span>
              </span>
              <span class="since">{isInForce ? 'in force' : 'replaced by a later layer'}</span>
            </li>
          )),
        )}
      </ul>
    </>
  );
}
