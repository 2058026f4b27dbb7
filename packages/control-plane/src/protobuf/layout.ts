import { MESSAGES } from '../schemas/generated/messages.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** The bytes with which every object in Kubernetes' binary format begins. */
export const PROTOBUF_MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRepeated: boolean;
  readonly isMap: boolean;
  /** Whether the field is embedded: in JSON, its members are members of the enclosing object. */
  readonly isInline: boolean;
  /** Whether a zero value means that the field is absent. */
  readonly omitsZero: boolean;
  /** Whether Go always writes the field, with a zero value if it is absent. */
  readonly isAlwaysWritten: boolean;
}

export function isMessage(name: string): boolean {
  return Object.hasOwn(MESSAGES, name);
}

const layouts = new Map<string, ReadonlyMap<number, Field>>();

/** Returns the fields of a message by number. They are read from the table on first use. */
export function fieldsOf(message: string): ReadonlyMap<number, Field> {
  const known = layouts.get(message);
  if (known) return known;
  const layout = MESSAGES[message];
  if (layout === undefined) throw new Error(`unknown message ${message}`);
  const fields = new Map(
    layout.split(',').flatMap((entry): [number, Field][] => {
      const [number = '', name = '', flags = ''] = entry.split(' ');
      if (number === '') return [];
      const type = flags.replace(/^[?^]?!?[*%]?/, '');
      const marks = flags.slice(0, flags.length - type.length);
      const has = (mark: string): boolean => marks.includes(mark);
      const shape = { isRepeated: has('*'), isMap: has('%'), isInline: has('^') };
      return [[Number(number), { name, type, ...shape, omitsZero: has('?'), isAlwaysWritten: has('!') }]];
    }),
  );
  layouts.set(message, fields);
  return fields;
}
