/** Base64 of a text's UTF-8 bytes, as Secrets and kubeconfigs hold them. */
export function encodeText(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** What is not base64 counts as empty: a damaged Secret is replaced, it must not stop the agent. */
export function decodeText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
