import { execFile, type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl as a user does, and returns its output and exit code. */
export class Kubectl {
  readonly #binary: string;
  readonly #kubeconfig: string;
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();
  #files = 0;

  private constructor(binary: string, kubeconfig: string, folder: string) {
    this.#binary = binary;
    this.#kubeconfig = kubeconfig;
    this.#folder = folder;
  }

  static async create(binary: string, kubeconfig: string): Promise<Kubectl> {
    return new Kubectl(binary, kubeconfig, await mkdtemp(join(tmpdir(), 'outrigger-kubectl-')));
  }

  /** Runs a command. `line` is split at spaces; pass arguments that contain spaces separately. */
  try(line: string, ...more: readonly string[]): Promise<Output> {
    return new Promise((resolve) => {
      execFile(this.#binary, this.#args(line, more), { env: this.#env(), timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      });
    });
  }

  /** Runs a command that must succeed. Returns its output. */
  async run(line: string, ...more: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(line, ...more);
    if (code !== 0) throw new Error(`kubectl ${[line, ...more].join(' ')} exited with ${code}:\n${stderr}`);
    return stdout;
  }

  /**
   * Starts a command that keeps running (`get -w`). `until` resolves with the output of the command once the output matches the pattern.
   */
  follow(line: string): { until(pattern: RegExp): Promise<string>; stop(): void } {
    const child = spawn(this.#binary, this.#args(line, []), { env: this.#env(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.add(child);
    let text = '';
    let changed = (): void => undefined;
    const collect = (chunk: Buffer): void => {
      text += chunk.toString();
      changed();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    return {
      until: (pattern) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`kubectl ${line} did not print ${String(pattern)} but:\n${text}`)), 30_000);
          changed = () => {
            if (!pattern.test(text)) return;
            clearTimeout(timer);
            resolve(text);
          };
          changed();
        }),
      stop: () => void child.kill(),
    };
  }

  /** Writes manifests to a file and returns its path. They are JSON, which is valid YAML. */
  async file(...objects: readonly object[]): Promise<string> {
    this.#files += 1;
    const path = join(this.#folder, `${this.#files}.yaml`);
    await writeFile(path, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    return path;
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  #args(line: string, more: readonly string[]): string[] {
    return ['--kubeconfig', this.#kubeconfig, ...line.split(' '), ...more];
  }

  /** Returns the environment. HOME is a separate folder, because kubectl must not use the discovery cache of another server. */
  #env(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.#folder, KUBECTL_EXTERNAL_DIFF: 'diff -u -N' };
  }
}
