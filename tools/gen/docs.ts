import type { GeneratedFile } from './files.js';

export function docFiles(): GeneratedFile[] {
  return [];
}
