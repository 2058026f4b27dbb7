import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import { downCommand } from './down/command.js';
import { upCommand } from './up/command.js';

/** In the order `--help` shows them. */
export const COMMANDS: readonly ((context: CommandContext) => Command)[] = [upCommand, downCommand];
