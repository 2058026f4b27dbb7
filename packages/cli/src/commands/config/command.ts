import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface ConfigGetOptions {
  readonly cluster?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export interface ConfigSetOptions {
  readonly cluster?: string;
  readonly config?: string;
}

export function configCommand(context: CommandContext): Command {
  const config = new Command('config').description('show and set the configuration of an add-on');
  const verb = (name: string, description: string): Command =>
    withConnection(new Command(name)).description(description).argument('<add-on>');
  config.addCommand(
    verb('get', 'show the values, and the layer that each comes from')
      .option('-c, --cluster <name>', 'the values on this cluster; without it, those of each layer of the declaration')
      .addOption(formatOption('text', 'json', 'yaml'))
      .action(async (addOn: string, options: ConfigGetOptions, command: Command) => {
        const { configGet } = await import('./get.js');
        await configGet(context, { ...connectionOf(command), ...options, addOn });
      }),
  );
  config.addCommand(
    verb('set', 'set variables in the AddOnDeploymentConfig of the add-on; KEY- removes one')
      .argument('<KEY=VALUE...>', 'the variables')
      .option('-c, --cluster <name>', 'on this cluster only, with a config of its own')
      .option('--config <namespace/name>', 'the AddOnDeploymentConfig, if the entries of the strategy use different ones')
      .action(async (addOn: string, settings: readonly string[], options: ConfigSetOptions, command: Command) => {
        const { configSet } = await import('./set.js');
        await configSet(context, { ...connectionOf(command), ...options, addOn, settings });
      }),
  );
  return config;
}
