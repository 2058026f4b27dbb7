import { ApiError } from '@outrigger/core';
import { ConfigError, ConnectionError } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { CommandError, EXIT, explainFailure, notFound, reportFailure, usageError } from './failure.js';
import { recordingTerminal } from './terminal/terminal.js';

const refused = new ConnectionError('https://h:1: refused the connection', { code: 'ECONNREFUSED', server: 'https://h:1', sent: false });

describe('failures', () => {
  it.each([
    { name: 'a mistake on the command line', error: usageError('x'), code: EXIT.usage, says: /^x$/ },
    { name: 'a missing object', error: notFound('x'), code: EXIT.notFound, says: /^x$/ },
    { name: 'an answer of no', error: new CommandError('x', EXIT.no), code: EXIT.no, says: /^x$/ },
    { name: 'an invalid kubeconfig', error: new ConfigError('f: no context'), code: EXIT.unreachable, says: /^f: no context$/ },
    {
      name: 'no kubeconfig at all',
      error: new ConfigError('no kubeconfig: x'),
      code: EXIT.unreachable,
      says: /: x, such as the \.outrigger/,
    },
    { name: 'a hub that does not answer', error: refused, code: EXIT.unreachable, says: /^no answer from the hub: https:\/\/h:1: refused/ },
    {
      name: 'credentials that the hub does not know',
      error: new ApiError('Unauthorized', 'Unauthorized'),
      code: EXIT.unreachable,
      says: /kubeconfig context/,
    },
    { name: 'a refusal', error: new ApiError('Invalid', 'spec.x: no'), code: EXIT.failed, says: /^spec\.x: no$/ },
    {
      name: 'a server that does not serve the group',
      error: new ApiError('NotFound', 'GET /apis/addon.open-cluster-management.io: the server answered 404: 404 page not found'),
      code: EXIT.notFound,
      says: /outrigger install hub --apply/,
    },
    {
      name: 'a server without the add-on API, with the command to run',
      error: new ApiError('NotFound', 'the server could not find the requested resource'),
      code: EXIT.notFound,
      says: /outrigger install hub --apply/,
    },
    {
      name: 'a webhook of the manager that the API server cannot call',
      error: new ApiError('InternalError', 'Internal error occurred: failed calling webhook "rights.admission.outrigger.dev": refused'),
      code: EXIT.failed,
      says: /: refused: this write was refused, because no manager of Outrigger answers .*`outrigger doctor`/,
    },
    {
      name: 'a webhook of another program that the API server cannot call',
      error: new ApiError('InternalError', 'Internal error occurred: failed calling webhook "policy.example.com": refused'),
      code: EXIT.failed,
      says: /: refused: this write was refused: this webhook belongs to another program and did not answer the API server$/,
    },
    {
      name: 'another internal error',
      error: new ApiError('InternalError', 'Internal error occurred: no'),
      code: EXIT.failed,
      says: /^Internal error occurred: no$/,
    },
  ])('$name', async ({ error, code, says }) => {
    const { message, exitCode } = await explainFailure(error);
    expect({ exitCode, message }).toEqual({ exitCode: code, message: expect.stringMatching(says) as string });
  });

  it('a list of errors is shown without the remark that names no field', async () => {
    const terminal = recordingTerminal();
    const remark =
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    await reportFailure(new ApiError('Invalid', `Placement "p" is invalid: [spec.a: Required value, ${remark}]`), terminal);
    expect(terminal.written.note).toBe('outrigger: Placement "p" is invalid: [spec.a: Required value]\n');
  });

  it('AT-30 a message that repeats hostile text is cleaned before it is shown', async () => {
    const terminal = recordingTerminal();
    await reportFailure(new ApiError('Invalid', 'bad \u001b[31mname'), terminal);
    expect(terminal.written.note).toBe('outrigger: bad \\u001b[31mname\n');
  });
});
