/** Encodes the UTF-8 bytes of a text in base64, as in Secrets and kubeconfigs. */
export function encodeText(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** Decodes base64. Returns an empty string for invalid input, so that the agent replaces a damaged Secret instead of failing. */
export function decodeText(base64: string): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
