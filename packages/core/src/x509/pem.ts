export interface PemBlock {
  /** The label, such as `CERTIFICATE` or `EC PRIVATE KEY`. */
  readonly label: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const LINE_LENGTH = 64;
const MAX_PEM_LENGTH = 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Encodes DER as PEM, ending with a newline. */
export function encodePem(label: string, der: ArrayBuffer | Uint8Array): string {
  const bytes = der instanceof Uint8Array ? der : new Uint8Array(der);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const lines = base64.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Returns all PEM blocks of a text, in order. Text around the blocks is skipped. Throws for a damaged block. */
export function decodePem(text: string): PemBlock[] {
  if (text.length > MAX_PEM_LENGTH) throw new Error(`PEM text has ${text.length} characters, at most ${MAX_PEM_LENGTH} are allowed`);
  const blocks: PemBlock[] = [];
  let open: { label: string; lines: string[] } | undefined;
  for (const line of text.split(/\r?\n/).map((raw) => raw.trim())) {
    const [, edge, label = ''] = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----$/.exec(line) ?? [];
    if (edge === 'BEGIN') open = { label, lines: [] };
    else if (edge === 'END') {
      if (open?.label !== label) throw new Error(`PEM block "${label}" ends but was not begun`);
      blocks.push({ label, bytes: decodeBody(label, open.lines) });
      open = undefined;
    } else open?.lines.push(line);
  }
  if (open !== undefined) throw new Error(`PEM block "${open.label}" has no end`);
  return blocks;
}

/** Returns the only PEM block of a text, which must have one of the given labels. */
export function decodeOnlyPem(text: string, ...labels: string[]): PemBlock {
  const blocks = decodePem(text);
  const [block] = blocks;
  if (block === undefined) throw new Error(`expected a PEM block "${labels.join('" or "')}", found none`);
  if (blocks.length > 1) throw new Error(`expected one PEM block, found ${blocks.length}`);
  if (!labels.includes(block.label)) throw new Error(`expected a PEM block "${labels.join('" or "')}", found "${block.label}"`);
  return block;
}

/** Decodes the body of a block. Old key files contain headers (`Proc-Type: …`) before an empty line; an encrypted body is rejected. */
function decodeBody(label: string, lines: readonly string[]): Uint8Array<ArrayBuffer> {
  if (lines.some((line) => line.startsWith('Proc-Type:') && line.includes('ENCRYPTED'))) {
    throw new Error(`PEM block "${label}" is encrypted; decrypt it first`);
  }
  const base64 = lines.filter((line) => !line.includes(':')).join('');
  if (!BASE64.test(base64) || base64.length % 4 !== 0) throw new Error(`PEM block "${label}" is not valid base64`);
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
