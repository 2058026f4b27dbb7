import { describe, expect, it } from 'vitest';
import type { PolicySpec } from './contract.js';
import { compilePolicy } from './evaluate.js';

const values = {
  object: { data: { a: 'yes', n: 1 } },
  oldObject: null,
  request: { operation: 'CREATE' },
  params: null,
  namespaceObject: null,
};
const findings = (spec: PolicySpec): readonly string[] =>
  compilePolicy(spec, [])(values).map(({ message, reason }) => (reason ? `${reason}: ${message}` : message));
const wrong = { expression: 'object.data.a == "no"' };

describe('a policy', () => {
  it.each<{ name: string; spec: PolicySpec; want: readonly string[] }>([
    { name: 'without validations finds nothing', spec: {}, want: [] },
    {
      name: 'finds everything that does not hold',
      spec: { validations: [wrong, { ...wrong, message: ' say no ', reason: 'Forbidden' }] },
      want: ['failed expression: object.data.a == "no"', 'Forbidden: say no'],
    },
    {
      name: 'tells no message of several lines',
      spec: { validations: [{ ...wrong, message: 'm', messageExpression: '"a\\nb"' }] },
      want: ['m'],
    },
    {
      name: 'tells no message that is no text',
      spec: { validations: [{ ...wrong, message: 'm', messageExpression: 'object.data.n' }] },
      want: ['m'],
    },
    { name: 'tells no empty message', spec: { validations: [{ ...wrong, message: 'm', messageExpression: '"  "' }] }, want: ['m'] },
    {
      name: 'computes no variable nobody asks for',
      spec: { variables: [{ name: 'broken', expression: 'object.nothing.at.all' }], validations: [{ expression: 'true' }] },
      want: [],
    },
    {
      name: 'cannot tell by a variable that fails',
      spec: { variables: [{ name: 'broken', expression: 'object.nothing' }], validations: [{ expression: 'variables.broken' }] },
      want: [`expression 'variables.broken' resulted in error: no such key: nothing`],
    },
    {
      name: 'finds nothing where a condition does not hold, whatever the others say',
      spec: {
        matchConditions: [
          { name: 'a', expression: 'object.nothing' },
          { name: 'b', expression: 'false' },
        ],
        validations: [wrong],
      },
      want: [],
    },
    {
      name: 'refuses where a condition cannot be told',
      spec: { matchConditions: [{ name: 'a', expression: 'object.nothing' }], validations: [] },
      want: [`expression 'object.nothing' resulted in error: no such key: nothing`],
    },
    {
      name: 'lets go what it cannot tell if that is to be ignored, and nothing else',
      spec: { failurePolicy: 'Ignore', validations: [{ expression: 'object.nothing' }, { ...wrong, message: 'm' }] },
      want: ['m'],
    },
  ])('$name', ({ spec, want }) => expect(findings(spec)).toEqual(want));
});
