export interface GoField {
  readonly jsonName: string;
  readonly isInline: boolean;
  readonly isPointer: boolean;
}

/** Struct → field number on the wire → what the struct's tags and types say about it. */
export function parseGoFields(source: string): Map<string, Map<number, GoField>> {
  const structs = new Map<string, Map<number, GoField>>();
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
    const fields = new Map<number, GoField>();
    for (const line of body.split('\n')) {
      const [, declaration = '', json = '', number] = /^\s*([^`/]+?)\s*`.*?json:"([^"]*)".*?protobuf:"\w+,(\d+)/.exec(line) ?? [];
      if (number === undefined) continue;
      const type = declaration.trim().split(/\s+/).at(-1) ?? '';
      const [jsonName = '', ...options] = json.split(',');
      fields.set(Number(number), { jsonName, isInline: options.includes('inline'), isPointer: type.startsWith('*') });
    }
    structs.set(name, fields);
  }
  return structs;
}
