const encoder = new TextEncoder();

export function toBase64Url(bytes: Uint8Array | string): string {
  return Buffer.from(typeof bytes === 'string' ? encoder.encode(bytes) : bytes).toString('base64url');
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}

/** Decodes one entry of a Secret's `data` as text. */
export function secretText(data: Readonly<Record<string, string>> | undefined, name: string): string {
  return Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
}

/** Compares two strings of equal length in constant time, so that a secret cannot be guessed byte by byte. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = encoder.encode(a);
  const right = encoder.encode(b);
  let difference = left.length ^ right.length;
  for (let i = 0; i < left.length; i += 1) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}
