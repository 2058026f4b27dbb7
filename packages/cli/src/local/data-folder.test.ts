import { expect, it } from 'vitest';
import { EXIT } from '../failure.js';
import { usable } from './data-folder.js';

const systemError = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: some words, open '${path}'`), { code, ...(path === undefined ? {} : { path }) });

it.each([
  ['EACCES', 'this user has no permission for it'],
  ['EPERM', 'the system does not permit it'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EISDIR', 'it is a folder where a file is expected'],
  ['ELOOP', 'a symbolic link in the path leads to itself'],
])('%s of the system is one sentence with the path, the problem and the remedy', async (code, problem) => {
  const failed = usable('/data', () => Promise.reject(systemError(code, '/data/outrigger.pid')));
  await expect(failed).rejects.toMatchObject({
    exitCode: EXIT.failed,
    message: `cannot keep data in /data: /data/outrigger.pid: ${problem} (${code}): choose another --data-dir`,
  });
});

it('keeps the words of other errors, and the path out of a sentence that has none', async () => {
  await expect(usable('/data', () => Promise.reject(new Error('/data belongs to another user')))).rejects.toThrow(
    'cannot keep data in /data: /data belongs to another user: choose another --data-dir',
  );
  await expect(usable('/data', () => Promise.reject(systemError('ENOSPC')))).rejects.toThrow(
    'cannot keep data in /data: the disk is full (ENOSPC): choose another --data-dir',
  );
  expect(await usable('/data', () => Promise.resolve(1))).toBe(1);
});
