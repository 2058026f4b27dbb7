import type { CacheView } from '@outrigger/kube';
import { addOns } from '../resources/add-ons.js';
import { templates } from '../resources/templates.js';
import type { TemplateLookups } from '@outrigger/rules/versions';

export function templateLookups(view: CacheView): TemplateLookups {
  return {
    template: (name) => view.get(templates, { name }),
    templatesOf: (addOnName) => view.byIndex(templates, 'addOn', addOnName),
    choosingTemplate: (addOnName) => view.byIndex(addOns, 'choosesTemplate', addOnName),
  };
}
