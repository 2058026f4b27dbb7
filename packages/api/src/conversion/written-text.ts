import { V1BETA1 } from './versions.js';

/**
 * Returns a message about an object with the field names of the version in which the object was written. The rules read the stored version,
 * so their messages use the field names of the stored version.
 */
export function asWritten(message: string, apiVersion: string | undefined): string {
  if (apiVersion !== V1BETA1) return message;
  return message
    .replace(/^spec\.supportedConfigs(\[\d+\])(\.defaultConfig)?/, 'spec.defaultConfigs$1')
    .replace('is not among the supportedConfigs of', 'is not among the defaultConfigs of');
}
