import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgram, recordingTerminal } from '@outrigger/cli';
import { describe, expect, it } from 'vitest';

type Command = ReturnType<typeof createProgram>;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

function sources(folder: string): string[] {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : sources(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [path] : [];
  });
}

describe('docs/conditions.md', () => {
  const code = read('packages/api/src/conditions.ts');
  const page = read('docs/conditions.md');
  const types = [...code.matchAll(/^ {2}(\w+):(?= *(?:\n|Is<))/gm)].map(([, type = '']) => type);
  const reasons = [...code.matchAll(/'([A-Z]\w+)'/g)]
    .map(([, reason = '']) => reason)
    .filter((reason) => !['True', 'False', 'Unknown'].includes(reason));

  it('finds them in the code at all', () => {
    expect(types.length).toBeGreaterThan(25);
    expect(reasons.length).toBeGreaterThan(80);
  });
  it('names every condition', () => expect(types.filter((type) => !page.includes(`| ${type} |`))).toEqual([]));
  it('names every reason', () => expect(reasons.filter((reason) => !new RegExp(`\\b${reason}\\b`).test(page))).toEqual([]));
});

describe('docs/metrics.md', () => {
  const defined = ['packages/kube/src', 'packages/hub/src', 'packages/agent/src']
    .flatMap(sources)
    .flatMap((path) => [...read(path).matchAll(/name: '(outrigger_\w+)'/g)].map(([, name = '']) => name));
  const page = read('docs/metrics.md');
  const listed = [...page.matchAll(/^\| `(outrigger_\w+)` \|/gm)].map(([, name = '']) => name);
  it('lists exactly the metrics that exist', () => expect([...listed].sort()).toEqual([...new Set(defined)].sort()));
});

describe('paths in documents', () => {
  const documents = [
    '',
    'docs',
    'docs/guides',
    'docs/adr',
    'docs/reference',
    'examples',
    ...folders('examples'),
    ...readmeFolders('packages'),
  ]
    .flatMap((folder) => readdirSync(`${ROOT}${folder}`).map((name) => (folder === '' ? name : `${folder}/${name}`)))
    .filter((path) => path.endsWith('.md'));

  it.each(documents)('%s has no broken links', (page) => {
    const prose = read(page).replace(/`[^`\n]*`/g, '');
    const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  /**
   * The folders that a path in a document may be relative to: `hub/src/resources` is below packages, `fleet/decide.ts` below the
   * controllers, `rollout/decide.ts` below the rules.
   */
  const places = ['', 'packages/', 'packages/rules/src/', 'packages/hub/src/', 'packages/hub/src/controllers/'];
  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files and folders that exist', (page) => {
    const named = [...read(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(5);
    const missing = named.filter(
      (path) => !isEntryOfAPackage(path) && !path.startsWith('cluster1/') && !places.some((place) => existsSync(join(ROOT, place, path))),
    );
    expect(missing).toEqual([]);
  });

  it.each(folders('packages'))('%s has a README that names every folder of its sources', (home) => {
    const pages = [`${home}/README.md`, ...(home === 'packages/rules' ? ['ARCHITECTURE.md'] : [])].map(read).join();
    const named = folders(`${home}/src`).map((path) => path.slice(path.lastIndexOf('/') + 1));
    expect(named.filter((name) => !new RegExp(`\`(?:src/)?${name}(?:/[\\w/]*)?\``).test(pages))).toEqual([]);
  });

  it('an ADR that another one supersedes names that one', () => {
    const adrs = readdirSync(`${ROOT}docs/adr`).map((file) => ({ file, text: read(`docs/adr/${file}`) }));
    const superseded = adrs.flatMap(({ file, text }) => {
      const [, number = ''] = /^(?:Status: accepted\. )?(?:Supersedes|Replaces)\D*(\d+)/m.exec(text) ?? [];
      return number === '' ? [] : [{ number: number.padStart(4, '0'), by: file }];
    });
    expect(superseded.length).toBeGreaterThan(2);
    const isMarked = ({ number, by }: (typeof superseded)[number]): boolean =>
      adrs.some(({ file, text }) => file.startsWith(number) && /^Superseded .*$/m.exec(text)?.[0].includes(by) === true);
    expect(superseded.filter((one) => !isMarked(one))).toEqual([]);
  });
  it('the recipes of CONTRIBUTING.md name symbols that their files contain', () => {
    const [, recipes = ''] = read('CONTRIBUTING.md').split('## Recipes');
    const [section = ''] = recipes.split('\n## ');
    const named = [...section.matchAll(/^- `(packages\/\S+\.ts)`:[^`]*`(\w+)`/gm)].map(([, file = '', symbol = '']) => ({ file, symbol }));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ file, symbol }) => !existsSync(join(ROOT, file)) || !read(file).includes(symbol))).toEqual([]);
  });
});

function folders(parent: string): string[] {
  return readdirSync(`${ROOT}${parent}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'dist')
    .map((entry) => `${parent}/${entry.name}`);
}

function readmeFolders(parent: string): string[] {
  return folders(parent).flatMap((folder) => [...(existsSync(`${ROOT}${folder}/README.md`) ? [folder] : []), ...readmeFolders(folder)]);
}

describe('commands in the guides', () => {
  const program = createProgram({
    terminal: recordingTerminal(),
    env: {},
    signal: new AbortController().signal,
    runtime: () => Promise.reject(new Error('no command runs here')),
    stdin: async () => '',
  });
  const pages = [
    ...readdirSync(`${ROOT}docs/guides`).map((name) => `docs/guides/${name}`),
    'README.md',
    'docs/conditions.md',
    ...readdirSync(`${ROOT}examples`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `examples/${entry.name}/README.md`),
  ];
  const lines = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:^|`|\$ )((?:npx )?outrigger [^`\n]+)/gm)].map(([, line = '']) => ({
      page,
      line: line
        .replace(/^npx /, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    })),
  );

  it('are there', () => expect(lines.length).toBeGreaterThan(30));

  it.each(lines.map(({ page, line }) => ({ page, line })))('$line ($page) exists, with its options', ({ line }) => {
    const words = line.split(/\s+/).slice(1);
    let command: Command = program;
    const known: Command[] = [program];
    for (const word of words) {
      if (word.startsWith('-')) {
        const flag = word.replace(/=.*/, '');
        const found = known.some((one) => one.options.some((option) => option.long === flag || option.short === flag)) || flag === '--help';
        expect(found ? undefined : `no option ${flag} of ${command.name()}`).toBeUndefined();
      } else {
        const next: Command | undefined = command.commands.find((one) => one.name() === word);
        if (next) {
          command = next;
          known.push(next);
        }
      }
    }
    expect(command === program && !line.includes(' --') ? `no command in: ${line}` : undefined).toBeUndefined();
  });
});

/** Whether a path is an entry that a package exports, such as `kube/testing`. */
function isEntryOfAPackage(path: string): boolean {
  const [name = '', ...entry] = path.split('/');
  const manifest = `packages/${name}/package.json`;
  if (!existsSync(join(ROOT, manifest))) return false;
  const { exports = {} } = JSON.parse(read(manifest)) as { readonly exports?: Readonly<Record<string, unknown>> };
  return `./${entry.join('/')}` in exports;
}

describe('the language of the documents', () => {
  const pages = [
    'README.md',
    'CHANGELOG.md',
    'COMPATIBILITY.md',
    'ARCHITECTURE.md',
    'docs/conditions.md',
    'docs/glossary.md',
    'docs/metrics.md',
    ...readdirSync(`${ROOT}docs/guides`).map((name) => `docs/guides/${name}`),
    ...folders('examples').map((folder) => `${folder}/README.md`),
  ];
  it.each(pages)('%s names its actors, and says "reports", not "tells"', (page) => {
    expect(read(page).match(/\b(nobody|somebody|whoever|everybody|anybody|told|let go)\b/gi) ?? []).toEqual([]);
  });

  const references = readdirSync(`${ROOT}docs/reference`).map((name) => `docs/reference/${name}`);
  it.each([...pages.filter((page) => page !== 'CHANGELOG.md'), ...references])('%s says that clusters are "in flight"', (page) => {
    expect(read(page).match(/\b(clusters|those) in motion\b|\bIN MOTION\b/g) ?? []).toEqual([]);
  });
});
