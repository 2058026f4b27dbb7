import type { FaultStep } from '../history/steps.js';
import { RealAgent } from './real-agent.js';
import type { World } from './world.js';

/** Makes something go wrong. */
export function disturb(world: World, step: FaultStep): void {
  const { disturbances, agents, agenda } = world;
  switch (step.do) {
    case 'lag':
      disturbances.lag(`hub-${step.process}`, step.resource, step.ms, step.forMs);
      return;
    case 'break watch':
      for (const stream of world.processes[step.process]?.streams() ?? []) {
        if (step.resource === '*' || stream.resource.name === step.resource) stream.breakFor(step.forMs);
      }
      return;
    case 'slow requests':
      disturbances.slow(step.forMs);
      return;
    case 'lose requests':
      disturbances.lose(step.fate, step.count);
      return;
    case 'crash':
      disturbances.crashAfter(step.writes, step.downMs);
      return;
    case 'leader change':
      world.changeLeader();
      return;
    case 'cluster away': {
      const agent = agents.get(step.cluster);
      agent?.leave();
      agenda.after(step.forMs, () => {
        // The end of the run may have brought the cluster back before.
        if (!agent?.isAway) return;
        agent.comeBack();
        world.registration?.comeBack(step.cluster);
      });
      return;
    }
    case 'flap':
      agents.get(step.cluster)?.flap(step.forMs);
      return;
    case 'agent crash': {
      const agent = agents.get(step.cluster);
      if (agent instanceof RealAgent) agent.crashAfter(step.writes, step.downMs);
      return;
    }
    case 'hub clock':
      disturbances.clockOffsetMs += step.ms;
      return;
    case 'later manager':
      world.laterManager.lead(step.forMs);
      return;
    case 'server restart':
    case 'history lost':
    case 'agent clock':
    case 'webhook outage':
    case 'certificate expires':
      // Only the second layer has whole servers, webhooks, and agents with clocks and credentials of their own.
      return;
  }
}
