import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { GUIDE_PAGES, GuideTypist } from '../cli/guide-story.js';
import { Readers } from '../cli/readers.js';
import { type PeopleHub, startPeopleHub } from './people-hub.js';

const CLUSTERS = ['cluster1', 'cluster2', 'cluster3'];

describe('readers type their guides on a real kube-apiserver', () => {
  let people: PeopleHub;
  let scratch: string;
  let readers: Readers;
  let typist: GuideTypist;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'outrigger-docs-'));
    people = await startPeopleHub({ clusters: CLUSTERS });
    const { runtime, hub, adminKubeconfig } = people;
    readers = await Readers.create({ runtime, hub, adminKubeconfig });
    const eventually = (what: string, look: () => Promise<true | undefined>): Promise<unknown> => people.eventually(what, look);
    // The manager runs in this process, without a Deployment, a Lease and a webhook, so `doctor` reports errors. cli-doctor.test.ts tests
    // `doctor` on its own hub.
    const exitCodes = { 'outrigger doctor': 5 };
    typist = new GuideTypist({ exitCodes, hub, runtime, clusterNames: CLUSTERS, readers, scratch, comparesScreens: false, eventually });
  });
  afterAll(async () => {
    await readers.close();
    await people.stop();
    await rm(scratch, { recursive: true });
  });

  it.each(GUIDE_PAGES)('%s', (page) => typist.page(page));
});
