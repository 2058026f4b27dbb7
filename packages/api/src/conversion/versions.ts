import { ADDON_GROUP } from '../groups.js';

export const V1ALPHA1: string = `${ADDON_GROUP}/v1alpha1`;
export const V1BETA1: string = `${ADDON_GROUP}/v1beta1`;
