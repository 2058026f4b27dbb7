import type { AnyController } from '@outrigger/kube';
import { clusterController } from './controller.js';
import { joinController } from './join/controller.js';
import { clusterSetBindingController } from './sets/binding-controller.js';
import { clusterSetController } from './sets/set-controller.js';
import type { ClusterOptions } from './state.js';
import { finishedWorkController } from './works/controller.js';

/** All controllers that manage clusters themselves. They are disabled together if upstream's registration controllers run. */
export function clusterControllers(options: ClusterOptions = {}): readonly AnyController[] {
  return [clusterController(options), clusterSetController(), clusterSetBindingController(), joinController(), finishedWorkController()];
}
