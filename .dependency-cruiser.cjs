// The layer table of ARCHITECTURE.md as rules about every import, of types too. Rules about what runs (cycles, purity of decisions,
// weight of an index) need to tell the two apart, which this tool cannot beside TypeScript 7: they are in tools/check/run-time-rules.mjs.
// Every kind of rule is proved by a planted violation in tools/check/layers.test.ts.
const layers = {
  core: [],
  api: ['core'],
  kube: ['core'],
  'control-plane': ['core'],
  sdk: ['core', 'api', 'kube'],
  hub: ['core', 'api', 'kube', 'sdk'],
  agent: ['core', 'api', 'kube'],
  console: ['core', 'api'],
  cli: ['core', 'api', 'kube', 'sdk', 'hub', 'agent', 'control-plane'],
};

/** Side entries of core and the packages each may use. */
const sideEntries = {
  schema: [],
  cel: ['@marcbachmann/cel-js'],
  hash: ['@noble/hashes'],
  regex: ['re2js'],
  x509: ['@peculiar/x509', 'reflect-metadata'],
  yaml: ['yaml'],
};

const side = Object.keys(sideEntries).join('|');
const npm = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'];
const tests = String.raw`\.(test|bench)\.ts$|/fixtures\.ts$|/fixtures/`;
const decide = String.raw`/decide[^/]*\.ts$`;
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('resolvable', 'an import that resolves to nothing checks nothing', {}, { couldNotResolve: true }),
    ...Object.entries(layers).map(([pkg, below]) =>
      rule(
        `layer:${pkg}`,
        `${pkg} may import ${below.length > 0 ? below.join(', ') : 'no other package'}`,
        { path: `^packages/${pkg}/src`, pathNot: tests },
        { path: '^packages/', pathNot: `^packages/(${[pkg, ...below].join('|')})/` },
      ),
    ),
    rule(
      'browser-safe',
      'core, api and console run in a browser',
      { path: '^packages/(core|api|console)/src', pathNot: tests },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'core-has-no-dependencies',
      'only the side entries of core may use a package',
      { path: '^packages/core/src', pathNot: [tests, `^packages/core/src/(${side})/`] },
      { dependencyTypes: npm },
    ),
    rule(
      'api-has-no-dependencies',
      'the kinds are described with core alone',
      { path: '^packages/api/src', pathNot: tests },
      { dependencyTypes: npm },
    ),
    ...Object.entries(sideEntries).map(([entry, allowed]) =>
      rule(
        `core-entry:${entry}`,
        `core/${entry} may use ${allowed.length > 0 ? allowed.join(', ') : 'no package'}`,
        { path: `^packages/core/src/${entry}/`, pathNot: tests },
        { dependencyTypes: npm, ...(allowed.length > 0 && { pathNot: `node_modules/(${allowed.join('|')})/` }) },
      ),
    ),
    rule('decide-is-pure', 'a decision uses nothing of the machine', { path: decide, pathNot: tests }, { dependencyTypes: ['core'] }),
    rule(
      'through-the-index',
      'a package is used through its entries',
      { path: '^packages/([^/]+)/src', pathNot: tests },
      {
        path: '^packages/[^/]+/src/',
        pathNot: [
          '^packages/$1/',
          '/src/(index|testing)\\.ts$',
          '^packages/kube/src/adapters/index\\.ts$',
          `^packages/core/src/(${side})/index\\.ts$`,
        ],
      },
    ),
    rule(
      'declared',
      'what a package imports is in its package.json',
      { path: '^packages/[^/]+/src', pathNot: tests },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    ),
    rule(
      'tests-stay-out',
      'product code does not import tests',
      { path: '^packages/[^/]+/src', pathNot: tests },
      { path: [tests, '^test/', '^tools/'] },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts'],
    },
  },
};
