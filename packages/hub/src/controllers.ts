/** The controllers one by one, for programs that run them without a manager: the simulator. A process uses `createHub`. */
export { addOnController } from './controllers/addon/controller.js';
export { clusterController } from './controllers/clusters/controller.js';
export { fleetController } from './controllers/fleet/controller.js';
export { placementController } from './controllers/placement/controller.js';
