import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXAMPLES, ROLES_FOR_PEOPLE, installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksIn, exitCodeOf, guides, isTypedElsewhere } from './guide-commands.js';
import { GUIDE_PAGES, GuideTypist } from './guide-story.js';
import { Readers } from './readers.js';
import { type CliWorld, startCliWorld } from './world.js';

describe('commands shown in documents are typed here', () => {
  let world: CliWorld;
  let scratch: string;
  let readers: Readers;
  let typist: GuideTypist;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'outrigger-docs-'));
    world = await startCliWorld(3);
    await installSamples(world.fleet.hub);
    const { runtime, fleet, eventually } = world;
    const { hub, clusterNames } = fleet;
    readers = await Readers.create({ runtime, hub, adminKubeconfig: fleet.kubeconfig });
    typist = new GuideTypist({ hub, runtime, clusterNames, readers, scratch, comparesScreens: true, eventually });
    await typist.settled();
  });
  afterAll(async () => {
    await readers.close();
    await world.stop();
    await rm(scratch, { recursive: true });
  });

  it('every guide is one of the pages', async () => {
    const withCommands = (await guides()).filter(({ text }) => blocksIn(text).some(({ commands }) => commands.length > 0));
    expect(withCommands.map(({ page }) => page).filter((page) => !GUIDE_PAGES.includes(page))).toEqual([]);
  });

  it('every guide names its reader, and a role that exists or an administrator', async () => {
    for (const { page, text } of await guides()) {
      const [, reader = ''] = /^# .*\n\nReader: (.*)$/m.exec(text) ?? [];
      expect({ page, reader }).toEqual({ page, reader: expect.stringMatching(/\w+/) as string });
      const named = [...text.matchAll(/^Reader: .*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/`(outrigger:[\w-]+)`/g)].map(([, role = '']) => role),
      );
      expect({ page, unknown: named.filter((role) => !ROLES_FOR_PEOPLE.includes(role)) }).toEqual({ page, unknown: [] });
    }
  });

  it.each(GUIDE_PAGES)('%s', (page) => typist.page(page));

  it('the examples of each help', async () => {
    await typist.startOver();
    const changing =
      /^outrigger (enable|disable|accept|detach|rollback|upgrade|join|rollout (?:abort|skip|approve|reject|override|retry))\b/;
    const lines = [...new Set(Object.values(EXAMPLES).flat())].filter((line) => !isTypedElsewhere(line) && !changing.test(line));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const want = exitCodeOf(line);
      const { code, note } = await typist.typed({ line, typist: undefined });
      expect({ line, code, note: code === want ? '' : note }).toEqual({ line, code: want, note: '' });
    }
  });
});
