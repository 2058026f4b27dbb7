import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '@outrigger/core';
import { expect } from 'vitest';
import { runCommand } from '../world.js';
import type { CommandRow } from './command-rows.js';

/** Runs the command of a row against a hub, and checks that its output names the error, its location and the remedy. */
export async function answersTheMistake(
  { args, kubeconfig, file, code, says, never = [] }: CommandRow,
  { runtime, admin, server }: { readonly runtime: Runtime; readonly admin: string; readonly server: string },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-mistakes-'));
  try {
    const [config, objects] = [join(folder, 'kubeconfig'), join(folder, 'objects.yaml')];
    await writeFile(config, kubeconfig?.(admin) ?? admin);
    if (file !== undefined) await writeFile(objects, file);
    const meant = (text: string): string => text.replace('FILE', objects).replace('SERVER', server);
    const ran = await runCommand(args.map(meant), runtime, { KUBECONFIG: config });
    const answer = `${ran.out}${ran.note}`;
    const missing = says.map(meant).filter((text) => !answer.includes(text));
    expect({ code: ran.code, missing, answer }).toEqual({ code, missing: [], answer });
    for (const text of never) expect(answer).not.toContain(text);
  } finally {
    await rm(folder, { recursive: true });
  }
}
