import type { ObjectLink, ObjectPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { View } from '../data/use-view.js';

/** Any object as YAML. Lines that name another object link to it. */
export function ObjectPageView({ object }: { object: ObjectLink }): JSX.Element {
  const place = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / {object.resource}
        {object.group !== '' && `.${object.group}`} {object.version}
      </p>
      <h1 class="alone">{place}</h1>
      <View<ObjectPage> name={`${object.resource} ${place}`} request={{ view: 'object', ...object }}>
        {(page) => <Yaml page={page} />}
      </View>
    </>
  );
}

function Yaml({ page: { yaml, references } }: { page: ObjectPage }): JSX.Element {
  const byLine = new Map(references.map(({ line, object }) => [line, object]));
  return (
    <pre class="yaml" tabIndex={0} aria-label="YAML">
      {yaml
        .trimEnd()
        .split('\n')
        .map((text, line) => {
          const object = byLine.get(line);
          return (
            <span key={line}>
              {object === undefined ? text : <Reference text={text} object={object} />}
              {'\n'}
            </span>
          );
        })}
    </pre>
  );
}

/** Shows a line that names another object. Only the value is a link, not the indentation and the key. */
function Reference({ text, object }: { text: string; object: ObjectLink }): JSX.Element {
  const [, key = '', value = ''] = /^(\s*(?:- )?(?:[^\s:]+:\s)?)(.*)$/.exec(text) ?? ['', '', text];
  return (
    <>
      {key}
      <a href={formatPage({ page: 'object', object })}>{value}</a>
    </>
  );
}
