import { ADDON_NAME_LABEL } from '../constants.js';

/**
 * The maximum number of bytes in the value of a label. The names of add-ons are ASCII, so this is also their maximum number of characters.
 */
const MAX_LABEL_VALUE = 63;

/**
 * Warns if the name of an add-on from a template is too long for the label that names the add-on of a work. The write is accepted, because
 * the API accepts longer names, and another manager may use such a name.
 */
export function longName(field: string, name: string): readonly string[] {
  if (name.length <= MAX_LABEL_VALUE) return [];
  return [
    `${field}: ${name} has ${name.length} characters; the works of an add-on from a template have its name in the label ${ADDON_NAME_LABEL}, which holds at most ${MAX_LABEL_VALUE}, so it cannot be installed on any cluster; use a shorter name`,
  ];
}
