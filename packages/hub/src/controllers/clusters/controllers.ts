import type { Controller } from '@outrigger/kube';
import { clusterController } from './controller.js';
import { joinController } from './join/controller.js';
import { clusterSetBindingController } from './sets/binding-controller.js';
import { clusterSetController } from './sets/set-controller.js';
import type { ClusterOptions } from './state.js';
import { finishedWorkController } from './works/controller.js';

/** Everything the hub does for clusters themselves: off as a whole where upstream's registration controllers run. */
export function clusterControllers(options: ClusterOptions = {}): readonly Controller<unknown>[] {
  return [
    clusterController(options),
    clusterSetController(),
    clusterSetBindingController(),
    joinController(),
    finishedWorkController(),
  ] as readonly Controller<unknown>[];
}
