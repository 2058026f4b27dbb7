import { lazy } from '@outrigger/core';
import { compileSchema, type StructuralSchema } from '@outrigger/core/schema';
import { builtinSchema } from './builtin-schemas.js';
import { compileNormalize } from './normalize.js';
import type { Decoding } from './resource.js';

/** Returns the functions that decode the objects of a kind with this schema. The schema is compiled on first use. */
export function decodingOf(structural: () => StructuralSchema): Decoding {
  const normalize = lazy(() => compileNormalize(structural()));
  return { schema: lazy(() => compileSchema(structural())), normalize: (draft) => normalize()?.(draft) };
}

/** The decoding of a Scale. All resources that can be scaled share it. */
export const SCALE_DECODING: Decoding = decodingOf(() => builtinSchema('autoscaling', 'v1', 'Scale'));
