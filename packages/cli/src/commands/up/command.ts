import { Command, InvalidArgumentError } from 'commander';

/** `outrigger up`: a hub, simulated clusters and a sample add-on in one process. */
export function upCommand(): Command {
  return new Command('up')
    .description('run a hub with simulated clusters and a sample add-on on this machine')
    .option('--data-dir <folder>', 'where the hub keeps its data and the kubeconfig', '.outrigger')
    .option('--clusters <number>', 'how many simulated clusters', count, 3)
    .option('--port <number>', 'port of the hub; any free one by default', count, 0)
    .action(async (options: { dataDir: string; clusters: number; port: number }) => {
      const { up } = await import('./run.js');
      await up(options);
    });
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('want a whole number.');
  return value;
}
