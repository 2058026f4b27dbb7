/** Encodes the UTF-8 bytes of a text in base64, as in Secrets and kubeconfigs. */
export function encodeText(text: string): string {
  let binary = '';
  // Convert byte by byte, because a text may have more bytes than a function can have arguments.
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Decodes base64. Returns an empty string for invalid input, so that the agent replaces a damaged Secret instead of failing. */
export function decodeText(base64: string): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
