import { validateDns1123Label, validateDns1123Subdomain, validateLabelValue, validateQualifiedName } from '@outrigger/core';
import { usageError } from '../failure.js';

/**
 * The functions in this file check names, labels and annotations in the options of a long-running command before the command connects. API
 * servers would refuse every object that contains an invalid value. Commands load this file only when they run, so that other commands need
 * not load the validation rules.
 */

/** The name of a namespace or a cluster. */
export function checkLabelName(option: string, value: string | undefined): void {
  if (value !== undefined) refuse(option, value, validateDns1123Label(value));
}

/** The name of a Secret, a Service or an agent. */
export function checkObjectName(option: string, value: string | undefined): void {
  if (value !== undefined) refuse(option, value, validateDns1123Subdomain(value));
}

export function checkLabels(option: string, labels: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(labels)) {
    refuse(option, key, validateQualifiedName(key));
    refuse(option, `${key}=${value}`, validateLabelValue(value));
  }
}

export function checkAnnotations(option: string, annotations: Readonly<Record<string, string>>): void {
  for (const key of Object.keys(annotations)) refuse(option, key, validateQualifiedName(key));
}

export function checkNotEmpty(option: string, values: readonly string[]): void {
  if (values.some((value) => value.trim() === '')) throw usageError(`${option}: want a name, not an empty text`);
}

function refuse(option: string, value: string, problems: readonly string[]): void {
  const [problem] = problems;
  if (problem !== undefined) throw usageError(`${option} ${JSON.stringify(value)}: ${problem}`);
}
