import { describe } from 'vitest';
import type { TestServer } from '../harness/index.js';
import { applying } from './applying.js';
import { authorization } from './authorization.js';
import { authorizationMatrix } from './authorization-matrix.js';
import { badInput } from './bad-input.js';
import { builtinKinds } from './builtin-kinds.js';
import { certificates } from './certificates.js';
import { conversions } from './conversions.js';
import { customResources } from './custom-resources.js';
import { deleting } from './deleting.js';
import { disguises } from './disguises.js';
import { discovery } from './discovery.js';
import { emptyValues } from './empty-values.js';
import { hosts } from './hosts.js';
import { moreKinds } from './more-kinds.js';
import { kindRules } from './kind-rules.js';
import { namespaces } from './namespaces.js';
import { numbers } from './numbers.js';
import { patching } from './patching.js';
import { podRules } from './pod-rules.js';
import { policies } from './policies.js';
import { reading } from './reading.js';
import { refusals } from './refusals.js';
import { representations } from './representations.js';
import { sizes } from './sizes.js';
import { specRules } from './spec-rules.js';
import { statusWrites } from './status-writes.js';
import { connectBeforeAll, type Suite } from './subject.js';
import { tokens } from './tokens.js';
import { unstored } from './unstored.js';
import { watching } from './watch.js';
import { webhooks } from './webhooks.js';
import { writing } from './writing.js';

const suites: readonly Suite[] = [
  reading,
  watching,
  writing,
  deleting,
  patching,
  applying,
  representations,
  discovery,
  customResources,
  namespaces,
  certificates,
  authorization,
  authorizationMatrix,
  disguises,
  tokens,
  badInput,
  refusals,
  builtinKinds,
  emptyValues,
  specRules,
  moreKinds,
  kindRules,
  webhooks,
  conversions,
  policies,
  sizes,
  statusWrites,
  podRules,
  unstored,
  numbers,
  hosts,
];

/** Runs all conformance tests of the Kubernetes API against one server. If two servers differ, kube-apiserver is right. */
export function conformance(name: string, start: () => Promise<{ readonly server: TestServer; stop(): Promise<void> }>): void {
  describe(`Kubernetes API of ${name}`, () => {
    const subject = connectBeforeAll(start);
    for (const suite of suites) suite(subject);
  });
}
