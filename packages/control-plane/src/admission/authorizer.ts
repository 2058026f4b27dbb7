import { type JsonObject, asJson } from '@outrigger/core';
import type { ExpressionFunction } from '@outrigger/core/cel';
import { serviceAccountIdentity } from '../auth/identities.js';
import type { AdmissionAttributes, Authorizer, Identity } from '../handle/contract.js';

/**
 * An access check that an expression builds step by step. It contains the identity, and the parts of the resource or path that the
 * expression has set so far. The variable `authorizer` and the values derived from it have this type.
 */
interface Question {
  readonly identity: Identity;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface Authorization {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Returns the variable `authorizer` for expressions about a request: the requester and the requested resource. */
export function authorizerOf({ identity, group, resource, subResource, namespace, name }: AdmissionAttributes): JsonObject {
  const requestResource: Question = { identity, group, resource, subresource: subResource, namespace, name };
  return asJson({ identity, requestResource });
}

const TEXT = ['dyn', 'string'] as const;

/**
 * Returns the functions that implement `authorizer.group('apps').resource('deployments').namespace('a').check('create').allowed()` and
 * similar calls.
 */
export function authorizerFunctions(authorize: Authorizer): readonly ExpressionFunction[] {
  const narrow = (name: keyof Question): ExpressionFunction => ({
    ...member(name, TEXT, 'dyn'),
    call: (question, value) => ({ ...(question as Question), [name]: value }),
  });
  return [
    ...(['path', 'group', 'resource', 'subresource', 'namespace', 'name'] as const).map(narrow),
    {
      ...member('serviceAccount', ['dyn', 'string', 'string'], 'dyn'),
      call: (_, namespace, name) => ({ identity: serviceAccountIdentity({ namespace: String(namespace), name: String(name), uid: '' }) }),
    },
    { ...member('check', TEXT, 'dyn'), call: (question, verb) => decide(authorize, question as Question, String(verb)) },
    { ...member('allowed', ['dyn'], 'bool'), call: (answer) => (answer as Authorization).allowed },
    { ...member('reason', ['dyn'], 'string'), call: (answer) => (answer as Authorization).reason },
    { ...member('errored', ['dyn'], 'bool'), call: () => false },
    { ...member('error', ['dyn'], 'string'), call: () => '' },
  ];
}

function member(
  name: string,
  params: ExpressionFunction['params'],
  result: ExpressionFunction['result'],
): Omit<ExpressionFunction, 'call'> {
  return { name, isMember: true, params, result };
}

/** Decides an access check. Expressions are evaluated synchronously, so they cannot use an authorizer that responds with a promise. */
function decide(authorize: Authorizer, question: Question, verb: string): Authorization {
  const { identity, path, group = '', resource = '', subresource = '', namespace = '', name = '' } = question;
  const target = path === undefined ? {} : { nonResourcePath: path };
  const decision = authorize({ identity, verb, ...target, group, version: '*', resource, subresource, namespace, name });
  if (decision instanceof Promise) throw new Error('this server cannot authorize within an expression');
  return { allowed: decision.allowed, reason: decision.reason ?? '' };
}
