import { validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError, isCidr } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, isFields, listOf, textOf, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { BAD_RANGE, portReference } from './value-rules.js';

export const networkPolicyStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    ensureFields(spec, 'podSelector');
    spec['policyTypes'] ??= listOf(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    for (const rule of [...listOf(spec, 'ingress'), ...listOf(spec, 'egress')]) {
      for (const port of listOf(rule, 'ports')) port['protocol'] ??= 'TCP';
    }
  },
  validateSpec(draft) {
    const spec = fieldsOf(draft, 'spec');
    return [
      ...validateLabelSelector(fieldsOf(spec, 'podSelector'), 'spec.podSelector'),
      ...listOf(spec, 'ingress').flatMap((rule, i) => validateRule(rule, `spec.ingress[${i}]`, 'from')),
      ...listOf(spec, 'egress').flatMap((rule, i) => validateRule(rule, `spec.egress[${i}]`, 'to')),
    ];
  },
};

function validateRule(rule: Fields, path: string, peers: 'from' | 'to'): FieldError[] {
  return [
    ...listOf(rule, 'ports').flatMap((port, i) => validatePort(port, `${path}.ports[${i}]`)),
    ...listOf(rule, peers).flatMap((peer, i) => validatePeer(peer, `${path}.${peers}[${i}]`)),
  ];
}

function validatePort({ port, endPort }: Fields, path: string): FieldError[] {
  const invalid = (why: string): FieldError[] => [fieldError.invalid(`${path}.endPort`, endPort, why)];
  const numbered = port === undefined ? [] : portReference(`${path}.port`, port);
  if (typeof endPort !== 'number') return numbered;
  if (port === undefined) return invalid('may not be specified when `port` is not specified');
  if (typeof port !== 'number') return [...numbered, ...invalid('may not be specified when `port` is non-numeric')];
  if (endPort >= port) return numbered;
  // A real server shows the first port as the invalid value.
  return [...numbered, fieldError.invalid(`${path}.endPort`, port, 'must be greater than or equal to `port`')];
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: Fields, path: string): FieldError[] {
  const selectors = Object.entries({ podSelector, namespaceSelector }).filter(([, selector]) => isFields(selector));
  const errors = selectors.flatMap(([name, selector]) => validateLabelSelector(selector as Fields, `${path}.${name}`));
  if (!isFields(ipBlock)) return selectors.length === 0 ? [fieldError.required(path, 'must specify a peer')] : errors;
  const blocked = [...errors, ...validateBlock(ipBlock, `${path}.ipBlock`)];
  return selectors.length === 0 ? blocked : [...blocked, fieldError.forbidden(path, 'may not specify both ipBlock and another peer')];
}

function validateBlock(block: Fields, path: string): FieldError[] {
  const cidr = textOf(block, 'cidr') ?? '';
  const except = Array.isArray(block['except']) ? block['except'].map(String) : [];
  if (cidr === '') return [fieldError.required(`${path}.cidr`)];
  return [
    ...(isCidr(cidr) ? [] : [fieldError.invalid(`${path}.cidr`, cidr, BAD_RANGE)]),
    ...except.flatMap((range, i) => (isCidr(range) ? [] : [fieldError.invalid(`${path}.except[${i}]`, range, BAD_RANGE)])),
  ];
}
