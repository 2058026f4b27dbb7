import { KIND_DEFINITIONS, type KindVersion, type ObjectDefinition, rootObject, type TypeDefinition } from '@outrigger/api';
import { type GeneratedFile, MARK } from './files.js';
import { objectsInside } from './walk.js';

const FOLDER = 'packages/api/src/generated';
const HEADER = `// ${MARK}\n`;
/** The files in the order in which types are assigned to them. A type that several groups use is in the first of their files. */
const FILES = ['cluster', 'work', 'addon', 'outrigger'];

/** Returns one file of TypeScript interfaces per API group. */
export function typeFiles(): GeneratedFile[] {
  const homes = new Map<ObjectDefinition, string>();
  const names = new Set<string>();
  return FILES.map((file) => {
    const roots = rootsOf(file);
    const objects = new Set(roots.flatMap((root) => [...objectsInside(rootObject(root))]));
    const own = [...objects].filter((object) => !object.fromCore && !homes.has(object));
    for (const object of own) {
      if (names.has(object.name)) throw new Error(`two types are called ${object.name}: give one of them another name`);
      names.add(object.name);
      homes.set(object, file);
    }
    return { path: `${FOLDER}/${file}.ts`, text: moduleText(file, roots, own, homes) };
  });
}

/** Returns the kinds of a group. Versions with the same type are listed once. */
function rootsOf(file: string): readonly KindVersion[] {
  const versions = KIND_DEFINITIONS.filter(({ group }) => group.startsWith(`${file}.`)).flatMap((definition) => definition.versions);
  return [...new Map(versions.map((version) => [version.typeName, version])).values()];
}

/** The types that a module uses and has to import. */
interface Imports {
  readonly core: Set<string>;
  readonly siblings: Map<string, Set<string>>;
}

function moduleText(
  file: string,
  roots: readonly KindVersion[],
  own: readonly ObjectDefinition[],
  homes: ReadonlyMap<ObjectDefinition, string>,
): string {
  const imports: Imports = { core: new Set(['KubeObject']), siblings: new Map() };
  const nameOf = (object: ObjectDefinition): string => {
    const home = homes.get(object);
    if (object.fromCore) imports.core.add(object.name);
    else if (home !== undefined && home !== file) imports.siblings.set(home, (imports.siblings.get(home) ?? new Set()).add(object.name));
    return object.name;
  };
  const body = [
    ...roots.map((root) => interfaceText(rootObject(root), ' extends KubeObject', imports, nameOf)),
    ...own.map((object) => interfaceText(object, '', imports, nameOf)),
  ];
  return `${HEADER}${importText(imports)}\n${body.join('\n')}`;
}

function importText({ core, siblings }: Imports): string {
  const line = (names: ReadonlySet<string>, from: string): string => `import type { ${[...names].sort().join(', ')} } from '${from}';\n`;
  return line(core, '@outrigger/core') + [...siblings].map(([file, names]) => line(names, `./${file}.js`)).join('');
}

type NameOf = (object: ObjectDefinition) => string;

function interfaceText(object: ObjectDefinition, parents: string, imports: Imports, nameOf: NameOf): string {
  const fields = Object.entries(object.fields).map(([name, { description, required, type }]) => {
    const fallback = type.schema.default;
    const note = fallback === undefined ? '' : ` Default: \`${JSON.stringify(fallback)}\`.`;
    const text = `${typeText(type, imports, nameOf)}${type.schema.nullable ? ' | null' : ''}`;
    return `  /** ${description}${note} */\n  readonly ${name}${required ? '' : '?'}: ${text};\n`;
  });
  return `/** ${object.description} */\nexport interface ${object.name}${parents} {\n${fields.join('')}}\n`;
}

function typeText({ form }: TypeDefinition, imports: Imports, nameOf: NameOf): string {
  switch (form.type) {
    case 'text':
      return form.text;
    case 'core':
      imports.core.add(form.name);
      return form.name;
    case 'object':
      return nameOf(form.object);
    case 'list': {
      const items = typeText(form.items, imports, nameOf);
      return items.includes('|') ? `readonly (${items})[]` : `readonly ${items}[]`;
    }
    case 'map':
      return `Readonly<Record<string, ${typeText(form.values, imports, nameOf)}>>`;
  }
}
