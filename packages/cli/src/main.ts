#!/usr/bin/env node
import { Command } from 'commander';
import { upCommand } from './commands/up/command.js';
import { reportFailure } from './failure.js';
import { VERSION } from './version.js';

const program = new Command('outrigger')
  .description('Add-ons across fleets of Kubernetes clusters.')
  .version(VERSION)
  .showHelpAfterError('(outrigger --help shows what there is)');

program.addCommand(upCommand());

program.parseAsync(process.argv).catch(reportFailure);
