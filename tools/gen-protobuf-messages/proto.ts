export interface ProtoField {
  readonly number: number;
  readonly name: string;
  /** A scalar's letter, or the full name of a message. */
  readonly type: string;
  readonly shape: 'single' | 'list' | 'map';
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 's',
  bytes: 'y',
  bool: 'b',
  int32: 'i',
  int64: 'i',
  uint32: 'u',
  uint64: 'u',
  double: 'd',
};

/** The messages of one `generated.proto`. */
export function parseMessages(source: string, packageName: string): Map<string, ProtoField[]> {
  const messages = new Map<string, ProtoField[]>();
  for (const [, name = '', body = ''] of source.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    const fields = body.split('\n').flatMap((line) => parseField(line.trim(), packageName) ?? []);
    messages.set(name, fields);
  }
  return messages;
}

function parseField(line: string, packageName: string): ProtoField | undefined {
  const [, value, mapName, mapNumber] = /^map<string, (\S+)> (\w+) = (\d+);/.exec(line) ?? [];
  if (value !== undefined) return { number: Number(mapNumber), name: String(mapName), type: typeName(value, packageName), shape: 'map' };
  const [, label, type = '', name = '', number] = /^(optional|repeated) (\S+) (\w+) = (\d+);/.exec(line) ?? [];
  if (label === undefined) return undefined;
  return { number: Number(number), name, type: typeName(type, packageName), shape: label === 'repeated' ? 'list' : 'single' };
}

/** `.k8s.io.api.core.v1.Pod` and `Pod` (in its own package) are both `core.v1.Pod`. */
function typeName(type: string, packageName: string): string {
  if (Object.hasOwn(SCALARS, type)) return String(SCALARS[type]);
  const path = type.split('.').filter((part) => part !== '');
  if (path.length === 1) return `${packageName}.${type}`;
  const short = path
    .slice(0, -1)
    .filter((part) => !['k8s', 'io', 'api', 'apimachinery', 'pkg', 'apis', 'util', 'apiextensions_apiserver'].includes(part));
  return [...short, path.at(-1)].join('.');
}
