import { describe } from 'vitest';
import type { TestServer } from '../harness/index.js';
import { reading } from './reading.js';
import { connectBeforeAll, type Suite } from './subject.js';
import { watching } from './watch.js';
import { writing } from './writing.js';

const suites: readonly Suite[] = [reading, watching, writing];

/** Every sentence about the Kubernetes API, checked on one server. Where two servers differ, kube-apiserver is right. */
export function conformance(name: string, start: () => Promise<{ readonly server: TestServer; stop(): Promise<void> }>): void {
  describe(`Kubernetes API of ${name}`, () => {
    const subject = connectBeforeAll(start);
    for (const suite of suites) suite(subject);
  });
}
