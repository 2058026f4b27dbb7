import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { runCommand } from '../cli/world.js';
import { type RealKube, installKinds, startKube } from '../harness/index.js';
import { eventually } from '../world/eventually.js';
import {
  addsFieldsToUnbounded,
  keepsWhatAnotherInstalled,
  otherDefinitions,
  unboundedDefinitions,
} from '../integration/install/beside-another.js';
import { clientOf } from './fleet-kube.js';
import { type ForgetfulWebhook, startForgetfulWebhook } from './forgetful-webhook.js';

describe('a real hub whose definitions another program has installed', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let kube: RealKube;
  let webhook: ForgetfulWebhook;
  beforeAll(async () => {
    [kube, webhook] = await Promise.all([startKube(), startForgetfulWebhook()]);
  });
  afterAll(async () => {
    await kube.stop();
    await webhook.stop();
    runtime.scope.close();
  });

  it('AT-60 installing keeps its definitions, and uninstalling restores them', async () => {
    const hub = await clientOf(kube.kubeconfigPath, runtime);
    const definitions = otherDefinitions(webhook.clientConfig);
    await installKinds(kube, hub, (what, look) => eventually(runtime, what, look), definitions);
    await keepsWhatAnotherInstalled({ hub, outrigger: (...args) => runCommand(args, runtime, { KUBECONFIG: kube.kubeconfigPath }) });
  });

  it('installing adds our fields also if its definitions bound nothing', async () => {
    const other = await startKube();
    try {
      const hub = await clientOf(other.kubeconfigPath, runtime);
      await installKinds(other, hub, (what, look) => eventually(runtime, what, look), unboundedDefinitions(webhook.clientConfig));
      await addsFieldsToUnbounded({ hub, outrigger: (...args) => runCommand(args, runtime, { KUBECONFIG: other.kubeconfigPath }) });
    } finally {
      await other.stop();
    }
  });
});
