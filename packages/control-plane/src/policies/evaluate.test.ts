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
      name: 'reports every validation that is false',
      spec: { validations: [wrong, { ...wrong, message: ' say no ', reason: 'Forbidden' }] },
      want: ['failed expression: object.data.a == "no"', 'Forbidden: say no'],
    },
    {
      name: 'ignores a message of several lines',
      spec: { validations: [{ ...wrong, message: 'm', messageExpression: '"a\\nb"' }] },
      want: ['m'],
    },
    {
      name: 'ignores a message that is not a text',
      spec: { validations: [{ ...wrong, message: 'm', messageExpression: 'object.data.n' }] },
      want: ['m'],
    },
    { name: 'ignores an empty message', spec: { validations: [{ ...wrong, message: 'm', messageExpression: '"  "' }] }, want: ['m'] },
    {
      name: 'computes no variable that no expression uses',
      spec: { variables: [{ name: 'broken', expression: 'object.nothing.at.all' }], validations: [{ expression: 'true' }] },
      want: [],
    },
    {
      name: 'fails if a variable fails',
      spec: { variables: [{ name: 'broken', expression: 'object.nothing' }], validations: [{ expression: 'variables.broken' }] },
      want: [`expression 'variables.broken' resulted in error: no such key: nothing`],
    },
    {
      name: 'skips the validations if a match condition is false, even if others fail',
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
      name: 'refuses if a match condition fails',
      spec: { matchConditions: [{ name: 'a', expression: 'object.nothing' }], validations: [] },
      want: [`expression 'object.nothing' resulted in error: no such key: nothing`],
    },
    {
      name: 'admits failures with the failure policy Ignore, but no validation that is false',
      spec: { failurePolicy: 'Ignore', validations: [{ expression: 'object.nothing' }, { ...wrong, message: 'm' }] },
      want: ['m'],
    },
  ])('$name', ({ spec, want }) => expect(findings(spec)).toEqual(want));
});
