import type { GeneratedFile } from './files.js';
import { UPSTREAM_TOPICS, type UpstreamCase, type UpstreamTopic } from './upstream-cases.js';

/** Returns the page that lists the tests for each behaviour of Open Cluster Management. */
export function upstreamCaseFiles(): readonly GeneratedFile[] {
  return [{ path: 'docs/upstream-cases.md', text: page(UPSTREAM_TOPICS) }];
}

export function page(topics: readonly UpstreamTopic[]): string {
  return [
    '<!-- Written by tools/gen from tools/gen/upstream-cases.ts: change that and run `npm run gen`. -->',
    '# Behaviour of Open Cluster Management and its tests',
    '',
    'Each behaviour on which programs and operators of Open Cluster Management rely, with the tests that show it: on the embedded server, on a real',
    'kube-apiserver, and of the rule alone. [Compatibility](../COMPATIBILITY.md) lists what is equal, stricter and different. A test checks that every test named here exists.',
    '',
    ...topics.flatMap(({ title, cases }) => [`## ${title}`, '', ...cases.flatMap(section)]),
  ].join('\n');
}

function section({ behaviour, embedded, kube, because, rule = [] }: UpstreamCase): readonly string[] {
  return [
    behaviour,
    '',
    ...embedded.map((test) => `- embedded: ${shown(test)}`),
    ...kube.map((test) => `- kube-apiserver: ${shown(test)}`),
    ...(because === undefined ? [] : [`- kube-apiserver: none, because ${because}`]),
    ...rule.map((test) => `- rule: ${shown(test)}`),
    '',
  ];
}

function shown(test: string): string {
  const [path = '', title = ''] = test.split(/: (.*)/s);
  const text = title.replaceAll(/[\\`*_<>[\]|]/g, '\\$&').trim();
  return text === '' ? `\`${path}\`` : `\`${path}\`: ${text}`;
}
