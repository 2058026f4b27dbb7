import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import { acceptCommand } from './accept/command.js';
import { agentCommand } from './agent/command.js';
import { consoleCommand } from './console/command.js';
import { configCommand } from './config/command.js';
import { completionCommand } from './completion/command.js';
import { detachCommand } from './detach/command.js';
import { hubCommand } from './hub/command.js';
import { installCommand } from './install/command.js';
import { joinCommand } from './join/command.js';
import { uninstallCommand } from './uninstall/command.js';
import { disableCommand } from './disable/command.js';
import { doctorCommand } from './doctor/command.js';
import { downCommand } from './down/command.js';
import { enableCommand } from './enable/command.js';
import { getCommand } from './get/command.js';
import { pauseCommand, resumeCommand } from './pause/command.js';
import { planCommand } from './plan/command.js';
import { renderCommand } from './render/command.js';
import { diffCommand } from './diff/command.js';
import { lintCommand } from './lint/command.js';
import { rollbackCommand } from './rollback/command.js';
import { rolloutCommand } from './rollout/command.js';
import { treeCommand } from './tree/command.js';
import { upCommand } from './up/command.js';
import { upgradeCommand } from './upgrade/command.js';
import { versionCommand } from './version/command.js';
import { whyCommand } from './why/command.js';

/** The groups of commands, in the order in which `--help` shows them. */
export const COMMAND_GROUPS: readonly { readonly title: string; readonly commands: readonly ((context: CommandContext) => Command)[] }[] = [
  { title: 'On this machine', commands: [upCommand, downCommand] },
  { title: 'Look', commands: [getCommand, whyCommand, treeCommand, planCommand, doctorCommand, consoleCommand] },
  {
    title: 'Change',
    commands: [enableCommand, disableCommand, upgradeCommand, rollbackCommand, rolloutCommand, pauseCommand, resumeCommand, configCommand],
  },
  { title: 'Write add-ons', commands: [renderCommand, diffCommand, lintCommand] },
  { title: 'Clusters', commands: [joinCommand, acceptCommand, detachCommand] },
  { title: 'On a real hub', commands: [installCommand, uninstallCommand, hubCommand, agentCommand] },
  { title: 'This command', commands: [completionCommand, versionCommand] },
];
