// An esbuild plugin that makes each module import the file that defines a name instead of the package's index. esbuild puts all files behind
// an index into the chunks of every importer; with direct imports, a command loads only the files it needs.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './install.mjs';

const PACKAGES = join(ROOT, 'packages');

/** The index files, by specifier, of the packages that are imported by name. */
function indexes() {
  const found = new Map();
  for (const name of ['api', 'core', 'kube', 'hub', 'agent', 'control-plane', 'rules', 'console-server']) {
    const { exports } = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8'));
    for (const [entry, { source }] of Object.entries(exports)) {
      if (source === undefined || source.includes('*')) continue;
      found.set(`@outrigger/${name}${entry.slice(1)}`, join(PACKAGES, name, source));
    }
  }
  return found;
}

/** Returns the file from which an index takes each name, and the name in that file. Types are omitted, because esbuild drops them. */
function origins(file) {
  const names = new Map();
  const text = readFileSync(file, 'utf8');
  for (const [, list, from] of text.matchAll(/^export \{([^}]*)\} from '(\.[^']+)';$/gm)) {
    for (const [name, inside] of members(list)) names.set(inside, { name, file: sourceOf(file, from) });
  }
  for (const [, from] of text.matchAll(/^export \* from '(\.[^']+)';$/gm)) {
    const all = sourceOf(file, from);
    for (const [, name] of readFileSync(all, 'utf8').matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm))
      names.set(name, { name, file: all });
  }
  return names;
}

function sourceOf(file, specifier) {
  return join(dirname(file), specifier.replace(/\.js$/, '.ts'));
}

/** Returns the pairs in a list such as `a, type B, c as d`: the name in the other module, then the name in this module. */
function members(list) {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => {
      const [name, alias = name] = part.split(/\s+as\s+/);
      return [name, alias];
    });
}

function rewritten(text, file, origin) {
  return text.replaceAll(/^import \{([^}]*)\} from '(@outrigger\/[^']+)';$/gm, (statement, list, specifier) => {
    const names = origin(specifier);
    if (!names) return statement;
    const lines = members(list).map(([name, local]) => {
      const at = names.get(name);
      if (!at) return `import { ${name} as ${local} } from '${specifier}';`;
      const path = relative(dirname(file), at.file);
      return `import { ${at.name} as ${local} } from '${path.startsWith('.') ? path : `./${path}`}';`;
    });
    // The number of lines stays the same, so that the source map stays correct.
    return lines.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
  });
}

export function directImports() {
  return {
    name: 'direct-imports',
    setup({ onLoad }) {
      const files = indexes();
      const known = new Map();
      const origin = (specifier) => {
        const file = files.get(specifier);
        if (file !== undefined && !known.has(specifier)) known.set(specifier, origins(file));
        return known.get(specifier);
      };
      onLoad({ filter: /packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => ({
        contents: rewritten(readFileSync(path, 'utf8'), path, origin),
        loader: 'ts',
      }));
    },
  };
}
