/** The parts of a certificate's subject that make up an identity. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/**
 * Parses the subject as `X509Certificate.subject` prints it: one attribute per line (the attributes of a multi-valued name are joined by `
 * + `), special characters escaped as in RFC 2253 and control characters as `\XX`. Returns undefined unless there is exactly one common
 * name, because otherwise the identity would depend on which common name is used.
 */
export function parseSubject(printed: string): CertificateSubject | undefined {
  const attributes = printed.split('\n').flatMap(splitMultiValued).map(parseAttribute);
  const valuesOf = (type: string): string[] => attributes.flatMap(({ name, value }) => (name === type ? [value] : []));
  const [commonName, ...others] = valuesOf('CN');
  if (commonName === undefined || commonName === '' || others.length > 0) return undefined;
  return { commonName, organizations: valuesOf('O') };
}

/** Splits a multi-valued name. A `+` inside a value is escaped, so an unescaped `+` between spaces is a separator. */
function splitMultiValued(line: string): string[] {
  return line.split(/(?<!\\) \+ (?=[A-Za-z0-9.]+=)/);
}

function parseAttribute(text: string): { readonly name: string; readonly value: string } {
  const equals = text.indexOf('=');
  return { name: text.slice(0, equals), value: unescape(text.slice(equals + 1)) };
}

function unescape(value: string): string {
  const bytes: number[] = [];
  const plain = new TextEncoder();
  for (let i = 0; i < value.length; ) {
    const [escape] = /^\\(?:[0-9A-Fa-f]{2}|.)/s.exec(value.slice(i, i + 3)) ?? [];
    if (escape === undefined) {
      const character = String.fromCodePoint(value.codePointAt(i) as number);
      bytes.push(...plain.encode(character));
      i += character.length;
    } else {
      bytes.push(...(escape.length === 3 ? [Number.parseInt(escape.slice(1), 16)] : plain.encode(escape.slice(1))));
      i += escape.length;
    }
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}
