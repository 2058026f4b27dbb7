import { KIND_DEFINITIONS } from '../../packages/api/src/definitions.js';
import { type KindVersion, rootObject } from '../../packages/api/src/schema/kind.js';
import type { ObjectDefinition, TypeDefinition } from '../../packages/api/src/schema/types.js';
import type { GeneratedFile } from './files.js';

const FOLDER = 'packages/api/src/generated';
const HEADER = '// Written by tools/gen from the definitions in this package: change those and run `npm run gen`.\n';

interface Module {
  readonly objects: ObjectDefinition[];
  readonly roots: KindVersion[];
}

/** One file per API group; a type used by several groups lives with the first of them. */
export function typeFiles(): GeneratedFile[] {
  const homes = new Map<ObjectDefinition, string>();
  const names = new Map<string, ObjectDefinition>();
  const modules = new Map<string, Module>();
  for (const definition of inDependencyOrder()) {
    const file = definition.group.split('.')[0] ?? '';
    const module = modules.get(file) ?? { objects: [], roots: [] };
    modules.set(file, module);
    for (const version of definition.versions) {
      if (module.roots.some((root) => root.typeName === version.typeName)) continue; // a version that differs in name only
      module.roots.push(version);
      for (const object of reachable(rootObject(version))) {
        if (homes.has(object) || object.fromCore) continue;
        const namesake = names.get(object.name);
        if (namesake) throw new Error(`two types are called ${object.name}: give one of them another name`);
        names.set(object.name, object);
        homes.set(object, file);
        module.objects.push(object);
      }
    }
  }
  return [...modules].map(([file, module]) => ({ path: `${FOLDER}/${file}.ts`, text: moduleText(file, module, homes) }));
}

/** Groups that others borrow types from come first. */
function inDependencyOrder(): typeof KIND_DEFINITIONS {
  const order = ['cluster', 'work', 'addon', 'outrigger'];
  const rank = (group: string): number => order.indexOf(group.split('.')[0] ?? '');
  return [...KIND_DEFINITIONS].sort((a, b) => rank(a.group) - rank(b.group));
}

function* reachable(object: ObjectDefinition): Generator<ObjectDefinition> {
  for (const field of Object.values(object.fields)) {
    const inner = objectOf(field.type);
    if (!inner) continue;
    yield inner;
    if (!inner.fromCore) yield* reachable(inner);
  }
}

/** The object a type is made of, inside any lists and maps. */
export function objectOf(type: TypeDefinition): ObjectDefinition | undefined {
  if (type.form.type === 'object') return type.form.object;
  if (type.form.type === 'list') return objectOf(type.form.items);
  return type.form.type === 'map' ? objectOf(type.form.values) : undefined;
}

function moduleText(file: string, module: Module, homes: ReadonlyMap<ObjectDefinition, string>): string {
  const core = new Set<string>(['KubeObject']);
  const foreign = new Map<string, Set<string>>();
  const body: string[] = [];
  const use = (object: ObjectDefinition): void => {
    if (object.fromCore) core.add(object.name);
    const home = homes.get(object);
    if (home !== undefined && home !== file) foreign.set(home, (foreign.get(home) ?? new Set()).add(object.name));
  };
  for (const root of module.roots) {
    body.push(interfaceText(rootObject(root), core, use, ' extends KubeObject'));
  }
  for (const object of module.objects) body.push(interfaceText(object, core, use));
  const imports = [
    `import type { ${[...core].sort().join(', ')} } from '@outrigger/core';`,
    ...[...foreign].map(([home, used]) => `import type { ${[...used].sort().join(', ')} } from './${home}.js';`),
  ];
  return `${HEADER}${imports.join('\n')}\n\n${body.join('\n')}`;
}

function interfaceText(object: ObjectDefinition, core: Set<string>, use: (object: ObjectDefinition) => void, parents = ''): string {
  const fields = Object.entries(object.fields).map(([name, field]) => {
    const type = typeText(field.type, core, use);
    const orNull = field.type.schema.nullable ? ' | null' : '';
    const fallback = field.type.schema.default;
    const note = fallback === undefined ? '' : ` Default: \`${JSON.stringify(fallback)}\`.`;
    return `  /** ${field.description}${note} */\n  readonly ${name}${field.required ? '' : '?'}: ${type}${orNull};\n`;
  });
  return `/** ${object.description} */\nexport interface ${object.name}${parents} {\n${fields.join('')}}\n`;
}

function typeText(type: TypeDefinition, core: Set<string>, use: (object: ObjectDefinition) => void): string {
  const { form } = type;
  switch (form.type) {
    case 'text':
      return form.text;
    case 'core':
      core.add(form.name);
      return form.name;
    case 'object':
      use(form.object);
      return form.object.name;
    case 'list': {
      const items = typeText(form.items, core, use);
      return items.includes('|') ? `readonly (${items})[]` : `readonly ${items}[]`;
    }
    case 'map':
      return `Readonly<Record<string, ${typeText(form.values, core, use)}>>`;
  }
}
