import { MESSAGES } from './generated/messages.js';

/** How one field of a message becomes JSON. */
export interface Field {
  /** `.` for a message whose members belong to the one around it. */
  readonly name: string;
  readonly shape: 'single' | 'list' | 'map';
  /** `s` string, `y` bytes, `b` bool, `i` and `u` integers, `d` double, else the name of a message. */
  readonly type: string;
  /** Sent only when set: a zero value means zero, not absence. */
  readonly isPointer: boolean;
}

const parsed = new Map<string, ReadonlyMap<number, Field>>();

export function isMessage(name: string): boolean {
  return Object.hasOwn(MESSAGES, name);
}

/** The fields of a message by number; none for a message that has none. */
export function fieldsOf(message: string): ReadonlyMap<number, Field> {
  const known = parsed.get(message);
  if (known) return known;
  const text = isMessage(message) ? MESSAGES[message] : undefined;
  const fields = new Map((text ?? '').split(';').flatMap((entry) => (entry === '' ? [] : [parseField(entry)])));
  parsed.set(message, fields);
  return fields;
}

function parseField(entry: string): [number, Field] {
  const [number = '', name = '', declared = ''] = entry.split(' ');
  const isPointer = declared.startsWith('*');
  const type = isPointer ? declared.slice(1) : declared;
  const shape = type.startsWith('[]') ? 'list' : type.startsWith('{}') ? 'map' : 'single';
  return [Number(number), { name, shape, type: shape === 'single' ? type : type.slice(2), isPointer }];
}
